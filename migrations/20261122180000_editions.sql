-- Which of a book's PDFs it is: the format, where it is printed, what of the book, and what is on the backs.
ALTER TABLE editions RENAME COLUMN format TO name;
UPDATE editions SET name = name || '/home/book/blank';

-- The language that the book's own words are printed in, as a BCP 47 tag.
ALTER TABLE books ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
