//! Polling for a result: image APIs put a request into a queue and draw later.

use std::time::Duration;

use crate::deadline::{self, Deadline};
use crate::{Failure, log};

/// Number of consecutive failed polls after which polling stops. The first failures are tolerated, because the drawing
/// in progress is already paid for.
const MAX_CONSECUTIVE_FAILURES: u32 = 3;

/// Calls `ask` until it returns an answer. Each pause is half as long again as the one before, up to four times the
/// first. A temporary failure counts as no answer, unless it is the third in a row. Returns [`Failure::Unavailable`]
/// when the deadline is near.
pub fn until<T>(
    deadline: &Deadline,
    pause: Duration,
    mut ask: impl FnMut() -> Result<Option<T>, Failure>,
) -> Result<T, Failure> {
    let longest = pause * 4;
    let mut pause = pause;
    let mut failures = 0;
    loop {
        let mut wait = pause;
        match ask() {
            Ok(Some(answer)) => return Ok(answer),
            Ok(None) => failures = 0,
            Err(failure) if failure.is_temporary() && failures + 1 < MAX_CONSECUTIVE_FAILURES => {
                failures += 1;
                log::debug(&format!("polling the API failed: {failure:?}"));
                if let Failure::RateLimited(Some(seconds)) = failure {
                    wait = wait.max(Duration::from_secs(seconds.into()));
                }
            }
            Err(failure) => return Err(failure),
        }
        if deadline.remaining() <= wait {
            return Err(Failure::Unavailable("the API took too long to finish".into()));
        }
        deadline::sleep(wait);
        pause = (pause + pause / 2).min(longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deadline() -> Deadline {
        Deadline::after_seconds(60)
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn polling_continues_until_there_is_an_answer() {
        let mut asked = 0;
        let answer = until(&deadline(), SECOND, || {
            asked += 1;
            Ok((asked == 4).then_some("done"))
        });
        assert_eq!(answer, Ok("done"));
        // 1 + 1.5 + 2.25 seconds.
        assert_eq!(crate::testing::slept(), Duration::from_millis(4750));
    }

    #[test]
    fn polling_ends_before_the_deadline() {
        let failure = until(&deadline(), SECOND, || Ok(None::<()>)).unwrap_err();
        assert!(matches!(failure, Failure::Unavailable(reason) if reason.contains("too long")));
        assert!(crate::testing::slept() < Duration::from_secs(60));
    }

    #[test]
    fn two_failures_in_a_row_are_tolerated_and_the_third_is_returned() {
        let down = || Failure::Unavailable("down".into());
        let mut answers = vec![
            Ok(Some(1)),
            Err(down()),
            Err(Failure::RateLimited(Some(9))),
            Ok(None),
            Err(down()),
        ];
        assert_eq!(until(&deadline(), SECOND, || answers.pop().unwrap()), Ok(1));
        assert!(
            crate::testing::slept() > Duration::from_secs(9),
            "the pause is as long as the API asks for"
        );
        assert_eq!(until(&deadline(), SECOND, || Err::<Option<()>, _>(down())), Err(down()));
        let refused = Failure::Refused("no".into());
        assert_eq!(
            until(&deadline(), SECOND, || Err::<Option<()>, _>(refused.clone())),
            Err(refused)
        );
    }
}
