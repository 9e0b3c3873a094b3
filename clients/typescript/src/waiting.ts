import type { components } from "./api.ts";
import { LinepressError } from "./errors.ts";

export type Operation = components["schemas"]["Operation"];

/** An operation of which at least one drawing failed. Failed drawings are refunded. */
export class OperationFailed extends LinepressError {
  override name = "OperationFailed";
  readonly operation: Operation;

  constructor(operation: Operation) {
    const failed = operation.items.flatMap(({ title, type, error }) => (error ? [`${title || type}: ${error.message}`] : []));
    super(`${failed.length} of ${operation.progress.total} drawings failed (${operation.id}). ${failed.join(" ")}`);
    this.operation = operation;
  }
}

/** An operation that has not ended in time. It continues, and can be waited for again. */
export class OperationTimeout extends LinepressError {
  override name = "OperationTimeout";
  readonly operation: Operation;

  constructor(operation: Operation) {
    super(`The operation ${operation.id} has not ended in time. It continues on the server.`);
    this.operation = operation;
  }
}

export type WaitOptions = {
  /** Milliseconds after which {@link OperationTimeout} is thrown; without it, there is no end. */
  timeout?: number;
  /** Called with each change. */
  onProgress?: (operation: Operation) => void;
  /** With `false`, an operation with failed drawings is returned instead of thrown. */
  check?: boolean;
  /** Ends the wait. The operation continues. */
  signal?: AbortSignal;
};

/** The operation after at most some seconds, and the pause until the next poll. */
export type Poll = (seconds: number) => Promise<{ operation: Operation; pause: number }>;

/** Below the timeouts of usual proxies. */
const LONGEST_REQUEST_SECONDS = 20;
/** The time between two reports of progress. */
const PROGRESS_SECONDS = 2;

export async function waitFor(
  poll: Poll,
  options: WaitOptions,
  sleep: (seconds: number, signal?: AbortSignal) => Promise<void>,
): Promise<Operation> {
  const { timeout = Number.POSITIVE_INFINITY, onProgress, check = true, signal } = options;
  const deadline = performance.now() + timeout;
  const remaining = () => Math.max(0, (deadline - performance.now()) / 1000);
  const longest = onProgress === undefined ? LONGEST_REQUEST_SECONDS : PROGRESS_SECONDS;
  let reported = "";
  for (;;) {
    signal?.throwIfAborted();
    const { operation, pause } = await poll(Math.floor(Math.min(longest, remaining())));
    const state = JSON.stringify(operation);
    if (state !== reported) onProgress?.(operation);
    reported = state;
    if (operation.status !== "queued" && operation.status !== "running") {
      if (check && operation.status !== "succeeded") throw new OperationFailed(operation);
      return operation;
    }
    if (remaining() === 0) throw new OperationTimeout(operation);
    await sleep(Math.min(pause, remaining()), signal);
  }
}
