// Orders at the exact price of the server, and the progress of what was ordered.

// Nothing costs less than nothing. So an order that agrees to this price is refused, with its price and without a charge.
const NO_PRICE = -1;
const POLL_DELAY_MS = 2000;
const MAX_FAILED_POLLS = 10;

// A button that orders something and names its price. `read` returns the arguments of the tool, or undefined while they
// are incomplete.
class OrderButton {
  constructor({ label, tool, read, accepted }) {
    Object.assign(this, { label, tool, read, accepted, turn: 0, credits: undefined });
    this.element = make("button", { type: "button", className: "order", disabled: true }, label);
    this.element.addEventListener("click", () => carryOut(this.element, () => this.order()));
  }

  show(credits) {
    this.credits = credits;
    this.element.disabled = credits === undefined;
    this.element.textContent = credits === undefined ? this.label : `${this.label} for ${counted(credits, "credit")}`;
  }

  // Asks the server for the price.
  async ask() {
    this.turn += 1;
    const turn = this.turn;
    this.show(undefined);
    const args = this.read();
    if (!args) return;
    try {
      const replayed = await callTool(this.tool, this.terms(args, NO_PRICE));
      if (turn === this.turn) this.accept(replayed);
    } catch (error) {
      if (turn !== this.turn) return;
      this.show(error.creditsRequired);
      if (error.creditsRequired === undefined) complain(error);
      else forgive();
    }
  }

  async order() {
    const args = this.read();
    if (!args || this.credits === undefined) return;
    try {
      this.accept(await callTool(this.tool, this.terms(args, this.credits)));
    } catch (error) {
      if (error.creditsRequired !== undefined && error.creditsRequired !== this.credits) {
        this.show(error.creditsRequired);
        throw new Error("The price has changed; the button shows the new one. Nothing was ordered.");
      }
      throw error;
    }
  }

  accept(result) {
    this.turn += 1;
    this.key = undefined;
    this.accepted(result);
  }

  // A repeat of the same order has the same key, so that it is not charged twice.
  terms(args, credits) {
    const ordered = JSON.stringify(args);
    if (this.key === undefined || this.ordered !== ordered) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      this.key = `app-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
      this.ordered = ordered;
    }
    return { ...args, idempotency_key: this.key, confirm_credits: credits };
  }
}

let following = 0;

// Shows the progress of an operation until it has ended. `changed` is called after each drawing, and `ended` at the end.
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
        const { completed, failed, total } = operation.progress;
        bar.max = total;
        bar.value = completed + failed;
        say(`${completed} of ${counted(total, "drawing")} done${failed > 0 ? `, ${failed} failed` : ""}.`);
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
        complain(error);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_DELAY_MS));
  }
}

// Ends the display of progress, for example because the page is closed.
function stopFollowing() {
  following += 1;
}
