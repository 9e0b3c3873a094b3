import type { components } from "./api.ts";

/** The codes of errors. A newer server may have others. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/** An error of this package. */
export class LinepressError extends Error {
  override name = "LinepressError";
}

/** A response of the server that is an error. */
export class ApiError extends LinepressError {
  override name = "ApiError";
  readonly status: number;
  /** The kind of error, as a stable word. */
  readonly code: ErrorCode | "unknown";
  /** The id under which the operator of the server finds the request in the log. */
  readonly requestId: string | undefined;
  /** The fields or parts that are wrong. */
  readonly details: readonly { field: string; message: string }[];
  /** The seconds to wait before the next attempt, if the server names them. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, error: Partial<components["schemas"]["Error"]["error"]>) {
    const code = error.code ?? "unknown";
    const requestId = error.request_id ?? response.headers.get("x-request-id") ?? undefined;
    const message = error.message ?? `The response is ${response.status} without a message.`;
    super(`${message} (${code}, request ${requestId})`);
    this.status = response.status;
    this.code = code;
    this.requestId = requestId;
    this.details = error.details ?? [];
    this.retryAfter = retryAfter(response);
  }

  /** Reads the error of a response that is one. */
  static async from(response: Response): Promise<ApiError> {
    const body = (await response.json().catch(() => undefined)) as Partial<components["schemas"]["Error"]> | undefined;
    // The response may be that of a proxy.
    return new ApiError(response, typeof body?.error === "object" ? body.error : {});
  }
}

/** The seconds of `Retry-After`; the server sends no dates. */
export function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
