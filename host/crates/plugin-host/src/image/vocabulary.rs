//! The check of the words that an image provider reports as impossible to draw.
use crate::contract;
use crate::error::CallError;

/// Checks that the answer has one list for each text, and limits the lists.
pub(crate) fn check(answer: Vec<Vec<String>>, texts: usize) -> Result<Vec<Vec<String>>, CallError> {
    if answer.len() != texts {
        return Err(CallError::InvalidResponse(format!(
            "{} lists of words for {texts} texts",
            answer.len()
        )));
    }
    Ok(answer.iter().map(|words| contract::unknown_words(words)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_list_for_each_text_and_a_bounded_number_of_short_words() {
        let words = |count: usize| (0..count).map(|at| format!("word{at}")).collect::<Vec<_>>();
        assert_eq!(check(vec![words(2), words(0)], 2), Ok(vec![words(2), words(0)]));
        assert_eq!(check(vec![words(500)], 1), Ok(vec![words(20)]));
        let odd = ["axo\u{1b}lotl\n", "", "axo lotl", "\u{202E}"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(check(vec![odd], 1), Ok(vec![vec!["axo lotl".to_owned()]]));
        for lists in [0, 2] {
            assert!(matches!(
                check(vec![words(1); lists], 1),
                Err(CallError::InvalidResponse(_))
            ));
        }
    }
}
