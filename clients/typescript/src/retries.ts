import { retryAfter } from "./errors.ts";

type Fetch = (request: Request) => Promise<Response>;

/** The longest wait for the next attempt. An error that asks for more is thrown. */
const MAX_DELAY_SECONDS = 60;
const REPEATABLE_METHODS = new Set(["GET", "HEAD", "PUT", "PATCH"]);

export type RetryOptions = {
  maxRetries: number;
  /** The milliseconds until the server must have responded and sent the whole body. */
  timeout: number;
  sleep?: (seconds: number, signal: AbortSignal) => Promise<void>;
};

/**
 * A `fetch` that repeats a request after 429, 503 and lost connections, where a repetition has no second effect: requests with an
 * idempotency key, methods that are idempotent, and each request that the server refused with 429.
 */
export function retrying(inner: Fetch, options: RetryOptions): Fetch {
  const pause = options.sleep ?? sleep;
  const attempt = (request: Request) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeout)]);
    // A body can be read only once.
    return inner(new Request(request.clone(), { signal }));
  };
  return async (request) => {
    const repeatable = REPEATABLE_METHODS.has(request.method) || request.headers.has("idempotency-key");
    for (let retry = 0; retry < options.maxRetries; retry++) {
      let delay = 0.5 * 2 ** retry * (0.75 + Math.random() / 2);
      try {
        const response = await attempt(request);
        if (response.status !== 429 && !(repeatable && response.status === 503)) return response;
        delay = retryAfter(response) ?? delay;
        if (delay > MAX_DELAY_SECONDS) return response;
        await response.body?.cancel();
      } catch (error) {
        if (!repeatable || request.signal.aborted) throw error;
      }
      await pause(delay, request.signal);
    }
    return attempt(request);
  };
}

/** Waits; throws as soon as the signal is aborted. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
