//! Confirmation of costs: the caller confirms the exact price, and where its client can ask the user, the user agrees.
use rmcp::model::ProtocolVersion;
use serde_json::json;

use super::arguments::OrderArguments;
use super::call::Call;
use super::earlier_question::ask;
use super::reply::{Outcome, Stop};
use super::visits::Visit;
use super::{waiting, words};
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_core::generation::Accepted;
use linepress_platform::error::{Error, ErrorKind, Result};

/// The key of the only question in a request for input.
const QUESTION_KEY: &str = "confirm";

impl Call {
    /// Places an order at the price that the caller confirmed. `place` places it; `what` begins the sentence with the
    /// price, and is computed from the reply that the order would have.
    ///
    /// An order above the limit of the app waits until the user has raised the limit, if their client can send them to
    /// the page for that and they agree. Any other client gets the address of the page with the error.
    pub(super) async fn order<T, F: Future<Output = Outcome<Accepted<T>>>>(
        &self,
        arguments: OrderArguments,
        what: impl FnOnce(&T) -> String,
        place: impl Fn(Order) -> F,
    ) -> Outcome<Accepted<T>> {
        let visit = self.visit()?;
        if let Some(Visit { subject, agreed: true }) = visit {
            waiting::for_credits(self, subject).await?;
        }
        match self.confirmed_order(arguments, what, place).await {
            Err(Stop::Failed(error)) => Err(self.with_page_for_limit(error, visit.is_none())?),
            placed => placed,
        }
    }

    /// Names the page on which the user can raise the limit of the app, if the app has reached it. If `asks`, the
    /// client is asked to open the page where it can.
    fn with_page_for_limit(&self, error: Error, asks: bool) -> Result<Stop> {
        let (ErrorKind::CreditCapReached { needed, .. }, Some(grant)) = (&error.kind, self.caller.grant()) else {
            return Ok(Stop::Failed(error));
        };
        let page = format!("{}/account/apps/{}/limit", self.app.config.public_url, grant.id);
        if asks && self.can_open_pages() {
            return self.ask_to_open(&page, &error.to_string(), needed);
        }
        Ok(Stop::LimitReached {
            error: Box::new(error),
            page,
        })
    }

    /// Places an order whose price was confirmed.
    ///
    /// An order at another price is refused by the concept, which charges nothing. It is then rehearsed to find out its
    /// price, and so is an order before the user is asked: errors come first, and the user is asked only about an order
    /// that would be accepted. An order that was accepted before needs no confirmation, whatever price the caller sends
    /// now.
    async fn confirmed_order<T, F: Future<Output = Outcome<Accepted<T>>>>(
        &self,
        arguments: OrderArguments,
        what: impl FnOnce(&T) -> String,
        place: impl Fn(Order) -> F,
    ) -> Outcome<Accepted<T>> {
        let (order, confirmed) = (arguments.terms()?, arguments.confirmed_credits());
        let must_ask = confirmed != 0 && self.can_ask();
        if must_ask && !idempotency::is_used(&self.app, &self.caller, order.key()).await? {
            match self.answer(confirmed)? {
                Some(true) => {}
                Some(false) => return Err(Stop::Declined { credits: confirmed }),
                None => return self.rehearse(&order, Some(confirmed), what, place).await,
            }
        }
        match place(order.clone()).await {
            Err(Stop::Failed(error)) if matches!(error.kind, ErrorKind::PriceChanged { .. }) => {
                self.rehearse(&order, None, what, place).await
            }
            placed => placed,
        }
    }

    /// Rehearses an order. If it costs what the caller confirmed, the user is asked to agree; otherwise the caller is
    /// asked to confirm the price.
    async fn rehearse<T, F: Future<Output = Outcome<Accepted<T>>>>(
        &self,
        order: &Order,
        confirmed: Option<i64>,
        what: impl FnOnce(&T) -> String,
        place: impl Fn(Order) -> F,
    ) -> Outcome<Accepted<T>> {
        let rehearsed = place(order.for_rehearsal()).await?;
        if rehearsed.replayed {
            return Ok(rehearsed);
        }
        let credits = rehearsed.consumed;
        let available = rehearsed.available + credits;
        let what = what(&rehearsed.reply);
        if confirmed != Some(credits) {
            return Err(Stop::Unconfirmed {
                credits,
                available,
                what,
            });
        }
        let question = format!(
            "{what} costs {}. The account {} has {available}. Order it?",
            words::credits(credits),
            self.caller.email()
        );
        Err(self.question(credits, &question)?)
    }

    /// Asks the user to agree to a deletion, if their client supports questions.
    pub(super) async fn confirm_deletion<F: Future<Output = Outcome<String>>>(&self, what: F) -> Outcome<()> {
        if !self.can_ask() {
            return Ok(());
        }
        match self.answer(0)? {
            Some(true) => Ok(()),
            Some(false) => Err(Stop::NotDeleted),
            None => {
                let days = words::counted(self.app.config.bin.days, "day");
                let question = format!("Delete {}? It can be restored for {days}.", what.await?);
                Err(self.question(0, &question)?)
            }
        }
    }

    /// Since protocol version 2026-07-28 a stateless server can ask questions, if the client supports forms.
    fn can_ask(&self) -> bool {
        let is_new = self.speaks(&ProtocolVersion::V_2026_07_28);
        let elicitation = self.context.client_capabilities().and_then(|known| known.elicitation);
        is_new && elicitation.is_some_and(|shown| shown.form.is_some() || shown.url.is_none())
    }

    /// Returns the user's answer to exactly this question, if there is one. The order's idempotency key makes it count
    /// once: it is one of the arguments, to which the question is bound with the price.
    fn answer(&self, credits: i64) -> Result<Option<bool>> {
        let answer = self
            .earlier_question
            .answer_to::<()>(&self.app, QUESTION_KEY, &self.bound_to(credits))?;
        Ok(answer.map(|((), agreed)| agreed))
    }

    /// A form without fields: accepting it means to agree.
    fn question(&self, credits: i64, message: &str) -> Result<Stop> {
        let params = json!({
            "mode": "form",
            "message": message,
            "requestedSchema": {"type": "object", "properties": {}},
        });
        ask(&self.app, QUESTION_KEY, &params, &self.bound_to(credits), ())
    }
}
