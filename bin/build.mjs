// `npm run build`, and part of `npm ci`: builds what makes starts faster. Everything works without it, so it never fails an install.
// With `--required`, as part of `npm pack`, it does fail: a packed file holds what was built and no sources.
const NEEDED_MAJOR = 24;
const isRequired = process.argv.includes('--required');
const without = (why) => {
  if (isRequired) process.exitCode = 1;
  console.error(isRequired ? `Not built: ${why}.` : `Not built ahead (${why}); it starts slower and works the same.`);
};

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) without(`Node ${NEEDED_MAJOR} builds it`);
else
  await Promise.all([import('../build/engine.ts'), import('../build/product.ts'), import('../build/dashboard.ts')])
    .then(([{ buildEngine }, { buildProduct }, { buildDashboard }]) =>
      Promise.all([buildEngine(), buildProduct(), buildDashboard()]),
    )
    .catch((error) =>
      // An install for production has no bundler.
      without(error.code === 'ERR_MODULE_NOT_FOUND' ? 'packages for development are not installed' : error.message),
    );
