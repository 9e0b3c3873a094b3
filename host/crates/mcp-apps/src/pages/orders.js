// Orders at the exact price of the server, and the progress of what was ordered.

// Nothing costs less than nothing. So an order that agrees to this price is refused, with its price and without a
// charge.
const NO_PRICE = -1;
const POLL_DELAY_MS = 2000;
const MAX_FAILED_POLLS = 10;

// A button that first shows the price of an order, and then places the order at that price. `read` returns the
// arguments of the tool, or undefined while they are incomplete. `accepted` is called with the result. An order that
// `isSingle` is placed once, even if the page is loaded again. `hold` is called with true before an order is sent, and
// with false and the error if it was refused.
class OrderButton {
  constructor({ label, tool, read, accepted, hold = () => {}, isSingle = false }) {
    Object.assign(this, { label, tool, read, accepted, hold, isSingle, turn: 0 });
    this.element = make("button", { type: "button", className: "primary" }, label);
    this.element.addEventListener("click", ({ detail }) => {
      // The second click of a double click, or a held key, would order at a price that the person has not read.
      if (detail < 2) runAction(this.element, () => (this.credits === undefined ? this.ask() : this.order()));
    });
    this.element.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
  }

  // Shows the price, or a button that asks for it: an order with other contents may have another price.
  show(credits) {
    this.turn += 1;
    this.credits = credits;
    this.element.disabled = this.read() === undefined;
    const action = credits === undefined ? ": show the price" : ` for ${counted(credits, "credit")}`;
    this.element.textContent = this.label + (this.element.disabled ? "" : action);
  }

  // Asks the server for the price. The order may have been accepted before, although its response was lost.
  async ask() {
    const args = this.read();
    if (!args) return;
    const { turn } = this;
    let replayed;
    try {
      replayed = await callTool(this.tool, this.terms(args, NO_PRICE));
    } catch (error) {
      if (turn !== this.turn) return;
      if (error.creditsRequired === undefined) throw error;
      this.show(error.creditsRequired);
      say(`The price is ${counted(error.creditsRequired, "credit")}.`);
      return;
    }
    await this.accept(replayed);
  }

  async order() {
    const args = this.read();
    if (!args) return;
    const { turn, credits } = this;
    let result;
    this.hold(true);
    this.element.textContent = "Ordering…";
    try {
      result = await callTool(this.tool, this.terms(args, credits));
    } catch (error) {
      this.hold(false, error);
      if (turn === this.turn) this.show(error.creditsRequired ?? credits);
      if (error.creditsRequired === undefined || error.creditsRequired === credits) throw error;
      throw new Error(`The price has changed to ${counted(error.creditsRequired, "credit")}. Nothing was ordered.`);
    }
    await this.accept(result);
  }

  async accept(result) {
    await this.accepted(result);
    this.key = undefined;
  }

  // A repeat of the same order has the same key, so that it is not charged twice.
  terms(args, credits) {
    const ordered = JSON.stringify(args);
    if (this.key === undefined || this.ordered !== ordered) {
      this.key = `app-${this.isSingle && toolCallId !== undefined ? hashOf(`${toolCallId} ${ordered}`) : randomHex()}`;
      this.ordered = ordered;
    }
    return { ...args, idempotency_key: this.key, confirm_credits: credits };
  }
}

function randomHex() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The hash of a text (FNV-1a, 64 bits). Browsers offer SHA-256 in secure contexts only.
function hashOf(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

// The progress of an operation in words.
function describeProgress({ progress: { completed, failed, total }, credits }) {
  const refunded = credits.refunded > 0 ? ` (${counted(credits.refunded, "credit")} refunded)` : "";
  return `${completed} of ${counted(total, "drawing")} done${failed > 0 ? `, ${failed} failed${refunded}` : ""}.`;
}

// The reasons of drawings that failed, each once.
function describeFailures({ items = [] }) {
  return [...new Set(items.filter(({ error }) => error).map(({ error }) => error.message))];
}

let following = 0;

// Shows the progress of an operation until it has ended. `changed` is called after each drawing, and `ended` at the
// end.
async function follow(operationId, { changed, ended }) {
  following += 1;
  const turn = following;
  const bar = make("progress", { "aria-label": "Drawings that have ended" });
  find("progress").replaceChildren(bar);
  let drawn;
  let failedPolls = 0;
  while (turn === following && failedPolls < MAX_FAILED_POLLS) {
    if (!document.hidden) {
      try {
        const { operation } = await callTool("get_operation", { operation_id: operationId });
        if (turn !== following) return;
        if (failedPolls > 0) clearError();
        const { completed, failed, total } = operation.progress;
        bar.max = total;
        bar.value = completed + failed;
        say(describeProgress(operation));
        if (operation.finished_at) {
          find("progress").replaceChildren();
          await ended(operation);
          return;
        }
        if (drawn !== undefined && drawn !== completed + failed) await changed();
        drawn = completed + failed;
        failedPolls = 0;
      } catch (error) {
        failedPolls += 1;
        showError(error);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_DELAY_MS));
  }
  if (turn !== following) return;
  find("progress").replaceChildren();
  say(`The progress is no longer shown, because ${failedPolls} calls in a row failed. The order is not affected.`);
}

// Ends the display of progress, for example because the page is closed.
function stopFollowing() {
  following += 1;
  find("progress").replaceChildren();
}
