// A user with a browser without scripts, who follows links, stores cookies and fills in forms.

export class Person {
  #cookies = new Map();

  constructor(email, password, callback) {
    Object.assign(this, { own: { email, password }, callback });
  }

  /** Follows an authorization address to its end; returns the parameters of the redirect to the client. */
  async decide(url) {
    let [response, at] = [await this.#send(url), url];
    for (let step = 0; step < 10; step++) {
      const location = response.headers.get('location');
      if (location) {
        at = new URL(location, at).href;
        if (at.startsWith(this.callback)) return new URL(at).searchParams;
        response = await this.#send(at);
        continue;
      }
      [response, at] = await this.#fillIn(await response.text(), at, response.status);
    }
    throw new Error(`the sign-in does not end: ${at}`);
  }

  async #fillIn(page, at, status) {
    if (status !== 200) throw new Error(`${at}: ${status}\n${page}`);
    for (const [, head, body] of page.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
      const fields = [...body.matchAll(/<input([^>]*)>/gs)].map(([, text]) => attributes(text));
      const sent = fields.filter((field) => field.name && (field.type !== 'checkbox' || 'checked' in field));
      const names = sent.map((field) => field.name);
      const form = new URLSearchParams(sent.map((field) => [field.name, this.own[field.name] ?? field.value ?? '']));
      if (body.includes('name="decision"')) form.append('decision', 'approve');
      else if (!names.includes('password')) continue;
      const target = new URL(attributes(head).action || at, at).href;
      return [await this.#send(target, { method: 'POST', body: form, headers: { origin: new URL(at).origin } }), target];
    }
    throw new Error(`nothing to fill in at ${at}:\n${page}`);
  }

  async #send(url, { headers, ...options } = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html', cookie, ...headers }, ...options });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split('=');
      this.#cookies.set(name, value);
    }
    return response;
  }
}

function attributes(text) {
  const found = text.matchAll(/([\w-]+)(?:="([^"]*)")?/g);
  const plain = (value) => value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)).replaceAll('&amp;', '&');
  return Object.fromEntries([...found].map(([, name, value]) => [name, plain(value ?? '')]));
}
