// Prints the number of o200k_base tokens in the text on standard input.

import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

console.log(encode(readFileSync(0, 'utf8')).length);
