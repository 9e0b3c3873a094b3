//! An authenticator app, and a browser that uses one.
use std::time::Duration;

use totp_rs::{Builder, Secret};

use super::{Browser, Html, PASSWORD, TestApp};

/// The page that turns the second factor on and off.
pub(crate) const SECOND_FACTOR: &str = "/account/second-factor";

const TIME_STEP_SECONDS: i64 = 30;
pub(crate) const TIME_STEP: Duration = Duration::from_secs(TIME_STEP_SECONDS.unsigned_abs());

/// An app with the secret of one account.
pub(crate) struct Authenticator {
    pub(crate) secret: String,
}

impl Authenticator {
    /// Reads the secret from the page that shows it.
    #[track_caller]
    pub(crate) fn from_page(page: &Html) -> Self {
        let shown = page.text.split_once("<code class=\"secret\">");
        let (_, rest) = shown.unwrap_or_else(|| panic!("no secret in {}", page.text));
        let secret = rest.split('<').next().unwrap().replace(' ', "");
        Self { secret }
    }

    /// Returns the code that the app shows now.
    pub(crate) fn code(&self, app: &TestApp) -> String {
        self.code_after(app, 0)
    }

    /// Returns the code that the app shows this number of time steps from now.
    pub(crate) fn code_after(&self, app: &TestApp, time_steps: i64) -> String {
        let seconds = app.server.clock.now().milliseconds() / 1000 + time_steps * TIME_STEP_SECONDS;
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        totp.generate(u64::try_from(seconds).unwrap()).to_string()
    }
}

impl Browser {
    /// Turns on the second factor of the account that is signed in; returns the app and the recovery codes. The time
    /// moves to the next code, because the one that confirmed the secret works only once.
    pub(crate) async fn turn_on_second_factor(&mut self, app: &TestApp) -> (Authenticator, Vec<String>) {
        let begun = self
            .submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", PASSWORD)])
            .await;
        begun.expect(200, "The code that the app shows");
        let authenticator = Authenticator::from_page(&begun);
        let confirmed = self.confirm_second_factor(&authenticator.code(app)).await;
        confirmed.expect(200, "The second factor is on");
        app.server.clock.advance(TIME_STEP);
        let codes = confirmed.text.split("<li><code>").skip(1);
        let codes = codes.map(|rest| rest.split('<').next().unwrap().to_owned()).collect();
        (authenticator, codes)
    }

    pub(crate) async fn confirm_second_factor(&mut self, code: &str) -> Html {
        let path = format!("{SECOND_FACTOR}/confirm");
        self.submit(SECOND_FACTOR, &path, &[("code", code)]).await
    }

    /// Turns the second factor off with the usual password.
    pub(crate) async fn turn_off_second_factor(&mut self, code: &str) -> Html {
        let path = format!("{SECOND_FACTOR}/off");
        self.submit(SECOND_FACTOR, &path, &[("password", PASSWORD), ("code", code)])
            .await
    }

    /// Enters the usual password of an account with a second factor.
    pub(crate) async fn begin_sign_in(&mut self, email: &str) {
        self.sign_in(email, PASSWORD).await.expect_redirect("/sign-in/code");
    }

    /// Sends the form that completes the sign-in.
    pub(crate) async fn enter_code(&mut self, code: &str) -> Html {
        self.post("/sign-in/code", &[("code", code)]).await
    }
}
