// The fetch that providers get: it follows no redirect, since that would carry a key elsewhere, and reads no endless answer.

/** An answer of 32,768 tokens in the wordiest stream format is below this. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export const guardedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  let bytes = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES)
          controller.error(new Error(`The answer is larger than ${MAX_ANSWER_BYTES} bytes.`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
};
