import type { components, paths } from "./api.ts";
import { ApiError } from "./errors.ts";
import { artwork, save } from "./files.ts";
import type { Artwork } from "./files.ts";
import { createRest } from "./rest.ts";
import type { Rest } from "./rest.ts";
import { retrying, sleep } from "./retries.ts";
import type { RetryOptions } from "./retries.ts";
import { waitFor } from "./waiting.ts";
import type { Operation, WaitOptions } from "./waiting.ts";

type Schemas = components["schemas"];
type PdfQuery = NonNullable<paths["/books/{id}/pdf"]["get"]["parameters"]["query"]>;
type PackageQuery = NonNullable<paths["/books/{id}/package"]["get"]["parameters"]["query"]>;

export type LinepressOptions = {
  /** The address of the server; the environment variable `LINEPRESS_URL` by default. */
  url?: string;
  /** The API key; the environment variable `LINEPRESS_KEY` by default. */
  key?: string;
  /** The milliseconds that a request may take; 200 seconds by default. */
  timeout?: number;
  /** The number of repetitions of a request, where they have no second effect; 5 by default. */
  maxRetries?: number;
  fetch?: (request: Request) => Promise<Response>;
  sleep?: RetryOptions["sleep"];
};

/** What an import of artwork may name in addition to the picture. */
export type ImportFields = Omit<Schemas["ImportForm"], "image">;

/** What the replacement of a cover may name in addition to the picture. */
export type CoverFields = Omit<Schemas["CoverImageForm"], "image">;

/** A client of one server with the API key of one account. */
export class Linepress {
  /** All operations of the server, by method and path. */
  readonly rest: Rest;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #base: string;
  readonly #authorization: string;
  readonly #sleep: (seconds: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: LinepressOptions = {}) {
    const url = options.url ?? environment("LINEPRESS_URL");
    const key = options.key ?? environment("LINEPRESS_KEY");
    if (!url || !key) {
      throw new TypeError("Name the server and the API key, as options or in LINEPRESS_URL and LINEPRESS_KEY.");
    }
    const { timeout = 200_000, maxRetries = 5 } = options;
    const given = options.sleep;
    this.#sleep = given === undefined ? sleep : (seconds, signal) => given(seconds, signal ?? new AbortController().signal);
    this.#fetch = retrying(options.fetch ?? fetch, { timeout, maxRetries, sleep: given });
    this.#base = `${url.replace(/\/+$/, "")}/api/v1`;
    this.#authorization = `Bearer ${key}`;
    this.rest = createRest(this.#base, key, this.#fetch);
  }

  /** Returns page concepts, the price, and the request that orders the book. Costs nothing. */
  async planBook(plan: Schemas["NewPlan"]): Promise<Schemas["BookPlan"]> {
    return (await this.rest.post("/book_plans", { body: { book_plan: plan } })).book_plan;
  }

  /**
   * Orders a book: the `generation_request` of a plan, as it is or edited. A program that may be restarted stores an
   * `idempotencyKey` before the call and repeats it: the order is then accepted once.
   */
  createBook(request: Schemas["GenerationRequest"], options: { idempotencyKey?: string } = {}): Promise<Schemas["BookAccepted"]> {
    const header = options.idempotencyKey === undefined ? {} : { "Idempotency-Key": options.idempotencyKey };
    return this.rest.post("/books", { body: request, params: { header } });
  }

  /** Returns the operation when it has ended; throws `OperationFailed` if a drawing failed. */
  wait(operation: Operation | string, options: WaitOptions = {}): Promise<Operation> {
    const id = typeof operation === "string" ? operation : operation.id;
    const signal = options.signal;
    const poll = async (seconds: number) => {
      const headers: Record<string, string> = seconds > 0 ? { prefer: `wait=${seconds}` } : {};
      const response = await this.#get(`/operations/${encodeURIComponent(id)}`, { headers, signal });
      const { operation } = (await response.json()) as Schemas["OperationReply"];
      // Without the header, the server did not wait: too many clients of the account do.
      const pause = response.headers.has("preference-applied") ? 0 : Number(response.headers.get("retry-after") ?? 2);
      return { operation, pause };
    };
    return waitFor(poll, options, this.#sleep);
  }

  /** Makes a page of a finished picture. Costs nothing. */
  async importPage(picture: Artwork, fields: ImportFields): Promise<Schemas["Page"]> {
    const form = await pictureForm(picture);
    for (const [name, value] of Object.entries(fields)) {
      for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
    }
    const body = { image: "", ...fields };
    return (await this.rest.post("/pages/import", { body, bodySerializer: () => form })).page;
  }

  /** Replaces the picture of a page with a finished one. Costs nothing. */
  async replacePageImage(pageId: string, picture: Artwork): Promise<Schemas["Page"]> {
    const form = await pictureForm(picture);
    const params = { path: { id: pageId } };
    return (await this.rest.put("/pages/{id}/image", { params, body: { image: "" }, bodySerializer: () => form })).page;
  }

  /** Replaces the cover of a book with a finished picture. Costs nothing. Only the style `color` keeps its colors. */
  async replaceCoverImage(bookId: string, picture: Artwork, fields: CoverFields = {}): Promise<Schemas["Book"]> {
    const form = await pictureForm(picture);
    if (fields.style !== undefined) form.append("style", fields.style);
    const params = { path: { id: bookId } };
    const body = { image: "", ...fields };
    return (await this.rest.put("/books/{id}/cover_image", { params, body, bodySerializer: () => form })).book;
  }

  /** Sends a picture and returns its id, which `source_upload_id` and `upload_id` name. */
  async upload(picture: Artwork): Promise<string> {
    const { file } = await artwork(picture);
    const { artwork_upload } = await this.rest.post("/artwork_uploads");
    // The address contains a token, so the key is not sent to it.
    const response = await this.#fetch(new Request(artwork_upload.url, { method: "PUT", body: file }));
    if (!response.ok) throw await ApiError.from(response);
    return artwork_upload.id;
  }

  /** Saves the PDF of a book. The file appears under its name when it is complete. */
  downloadPdf(bookId: string, path: string, query: PdfQuery = {}): Promise<void> {
    return this.#download(`/books/${encodeURIComponent(bookId)}/pdf`, path, query);
  }

  /** Saves a ZIP archive with all files for a printer, by default Amazon KDP. */
  downloadPackage(bookId: string, path: string, query: PackageQuery = {}): Promise<void> {
    return this.#download(`/books/${encodeURIComponent(bookId)}/package`, path, query);
  }

  async #download(address: string, path: string, query: Record<string, string | null | undefined>): Promise<void> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const response = await this.#get(`${address}?${new URLSearchParams(given)}`);
    await save(response.body ?? new Blob().stream(), path);
  }

  async #get(address: string, init: { headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: this.#authorization };
    const response = await this.#fetch(new Request(this.#base + address, { headers, signal: init.signal }));
    if (!response.ok) throw await ApiError.from(response);
    return response;
  }
}

async function pictureForm(picture: Artwork): Promise<FormData> {
  const { file, name } = await artwork(picture);
  const form = new FormData();
  form.set("image", file, name);
  return form;
}

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name];
}
