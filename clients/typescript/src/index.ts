/** The client of Linepress, a server that makes printable coloring books. */
export type { components, paths } from "./api.ts";
export { Linepress } from "./client.ts";
export type { CoverFields, ImportFields, LinepressOptions } from "./client.ts";
export { ApiError, LinepressError } from "./errors.ts";
export type { ErrorCode } from "./errors.ts";
export type { Artwork } from "./files.ts";
export type { Method, Rest } from "./rest.ts";
export { OperationFailed, OperationTimeout } from "./waiting.ts";
export type { Operation, WaitOptions } from "./waiting.ts";
export { InvalidWebhook, verifyWebhook } from "./webhooks.ts";
export type { VerifyOptions, WebhookEvent, WebhookHeaders } from "./webhooks.ts";
