import { LinepressError } from "./errors.ts";

/** The age in seconds up to which a message is accepted. Older ones may be repetitions by an attacker. */
const TOLERANCE_SECONDS = 300;

/** A request that does not come from the server, or is too old. A receiver responds with 400 and ignores it. */
export class InvalidWebhook extends LinepressError {
  override name = "InvalidWebhook";
}

/** An event. Every attempt to send it has the same `id`, by which a receiver recognizes a repetition. */
export type WebhookEvent = {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
};

export type VerifyOptions = {
  /** The seconds that the time of the request may differ from now; 300 by default. */
  tolerance?: number;
  /** The present time in seconds, for tests. */
  now?: number;
};

/** Headers as frameworks pass them: of the Fetch API, or of Node.js. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Returns the event in a request of the server; throws {@link InvalidWebhook} for any other request.
 *
 * `body` must be the body as it was received. While a secret is rotated, `secrets` may be the old one or both.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  checkAge(timestamp, options.tolerance ?? TOLERANCE_SECONDS, options.now ?? Date.now() / 1000);
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.`);
  const received = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array([...content, ...received]);
  if (!(await isAnyValid(signatures, typeof secrets === "string" ? [secrets] : secrets, signed))) {
    throw new InvalidWebhook("No signature of the request is that of a known secret.");
  }
  return { id, ...event(text) };
}

function header(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new InvalidWebhook(`The header ${name} is missing.`);
  return found;
}

function checkAge(timestamp: string, tolerance: number, now: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new InvalidWebhook("The header webhook-timestamp is not a time in seconds.");
  }
  if (Math.abs(now - Number(timestamp)) > tolerance) {
    throw new InvalidWebhook("The request is too old, or the clock of this machine is wrong.");
  }
}

/** Compares each signature of the header with each secret; `crypto.subtle` does so in constant time. */
async function isAnyValid(signatures: string, secrets: readonly string[], signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  let found = false;
  for (const secret of secrets) {
    const bytes = decoded(secret.replace(/^whsec_/, ""));
    if (bytes === undefined || bytes.length === 0) throw new TypeError("The secret of a webhook is `whsec_` and base64.");
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const signature of signatures.split(" ")) {
      const given = signature.startsWith("v1,") ? decoded(signature.slice(3)) : undefined;
      if (given !== undefined && (await crypto.subtle.verify("HMAC", key, given, signed))) found = true;
    }
  }
  return found;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function event(body: string): Omit<WebhookEvent, "id"> {
  let parsed: Partial<WebhookEvent> | null;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = null;
  }
  const { type, timestamp, data } = parsed ?? {};
  if (typeof type !== "string" || typeof timestamp !== "string" || typeof data !== "object" || data === null) {
    throw new InvalidWebhook("The body is not an event.");
  }
  return { type, timestamp, data };
}
