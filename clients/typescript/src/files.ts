import { LinepressError } from "./errors.ts";

/** The path of a PNG, JPEG or WebP, or its contents. */
export type Artwork = string | Blob | Uint8Array;

/** Reads a picture. */
export async function artwork(picture: Artwork): Promise<{ file: Blob; name: string }> {
  if (picture instanceof Blob) {
    return { file: picture, name: picture instanceof File ? picture.name : "artwork" };
  }
  if (picture instanceof Uint8Array) return { file: new Blob([new Uint8Array(picture)]), name: "artwork" };
  // The rest of the package works without files, such as in a browser.
  const { openAsBlob } = await import("node:fs");
  const { basename } = await import("node:path");
  try {
    return { file: await openAsBlob(picture), name: basename(picture) };
  } catch (cause) {
    // The error of Node.js does not name the file.
    throw new LinepressError(`The picture ${picture} cannot be read.`, { cause });
  }
}

/** Saves a body. The file appears under its name when it is complete; an existing one is replaced then. */
export async function save(body: ReadableStream<Uint8Array>, target: string): Promise<void> {
  const { open, rename, rm } = await import("node:fs/promises");
  const { basename, dirname, join } = await import("node:path");
  const partial = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}.part`);
  try {
    const file = await open(partial, "wx");
    try {
      const reader = body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) await file.writeFile(part.value);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
}
