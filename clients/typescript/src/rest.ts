import createFetchClient from "openapi-fetch";
import type { FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, MediaType, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";

import { KEYED } from "./api.ts";
import type { paths } from "./api.ts";
import { ApiError } from "./errors.ts";

type Init<I> = RequiredKeysOf<I> extends never ? [(I & { [key: string]: unknown })?] : [I & { [key: string]: unknown }];

/** Sends a request and returns the body of the response; throws an {@link ApiError} if it is an error. */
export type Method<M extends HttpMethod> = <
  Path extends PathsWithMethod<paths, M>,
  I extends MaybeOptionalInit<paths[Path], M>,
>(
  path: Path,
  ...init: Init<I>
) => Promise<NonNullable<FetchResponse<paths[Path][M] & Record<string | number, any>, I, MediaType>["data"]>>;

/** All operations of the server. */
export type Rest = {
  get: Method<"get">;
  post: Method<"post">;
  put: Method<"put">;
  patch: Method<"patch">;
  delete: Method<"delete">;
};

export function createRest(baseUrl: string, key: string, fetch: (request: Request) => Promise<Response>): Rest {
  const client = createFetchClient<paths>({ baseUrl, fetch, headers: { authorization: `Bearer ${key}` } });
  client.use({
    onRequest({ request, schemaPath }) {
      if (KEYED.has(`${request.method} ${schemaPath}`) && !request.headers.has("idempotency-key")) {
        request.headers.set("idempotency-key", crypto.randomUUID());
      }
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok) throw await ApiError.from(response);
    },
  });
  const method = <M extends HttpMethod>(send: (path: never, ...init: never[]) => Promise<{ data?: unknown }>): Method<M> => {
    const sent = async (path: never, ...init: never[]) => (await send(path, ...init)).data;
    return sent as unknown as Method<M>;
  };
  return {
    get: method(client.GET as never),
    post: method(client.POST as never),
    put: method(client.PUT as never),
    patch: method(client.PATCH as never),
    delete: method(client.DELETE as never),
  };
}
