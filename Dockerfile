# Signalbox in a container: built from the lock file, run by a user without rights, on a root file system that may be read-only.
# Everything it writes is in /data.

FROM node:24-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# The packed file holds what the product needs and nothing else. The image has Node 24 itself: the one for older machines stays out.
RUN node --disable-warning=ExperimentalWarning bin/build.mjs --required \
 && npm pack --ignore-scripts \
 && mkdir /app \
 && tar -xzf signalbox-*.tgz -C /app --strip-components=1 \
 && npm prune --omit=dev --ignore-scripts \
 && rm -rf node_modules/.cache node_modules/.bin node_modules/node-linux-* \
 && mv node_modules /app/

FROM node:24-slim
COPY --from=build /app /app
RUN ln -s /app/bin/signalbox.mjs /usr/local/bin/signalbox \
 && install -d -o node -g node -m 700 /data
ENV ENVIRONMENT=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data API_KEY_STORE=/data/api_keys.json
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "--disable-warning=ExperimentalWarning", "/app/bin/signalbox.mjs"]
CMD ["start"]
