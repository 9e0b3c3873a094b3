//! Checks of mail: the connection to the mail server, the sign-in there, and the mails that wait.
use linepress_accounts::outbox;
use linepress_operator::mailing;
use linepress_platform::app::App;
use linepress_terminal::Report;

const SUBJECT: &str = "mail";

pub(super) async fn check(app: &App, has_database: bool, report: &mut Report) {
    let settings = &app.config.mail;
    if !settings.is_on() {
        return;
    }
    let server = format!("{}:{}", settings.host, settings.port());
    match mailing::check_server(app).await {
        Ok(()) => report.good(SUBJECT, &format!("{server} accepts this server")),
        Err(problem) => report.bad(
            SUBJECT,
            &format!("{server} cannot be used: {problem}"),
            "Check the table `mail`, and that the mail server runs and accepts this machine and user.",
        ),
    }
    if !has_database {
        return;
    }
    match outbox::waiting(app).await {
        Ok(0) => {}
        Ok(waiting) => report.note(SUBJECT, &format!("{waiting} wait to be sent")),
        Err(error) => report.bad(SUBJECT, &error.for_operator(), "Check that the database is running."),
    }
}
