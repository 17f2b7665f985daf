// @ts-check
/** Words that come with the views that say them. */

import { add } from "../index.js";
import { en } from "./en.js";
import { he } from "./he.js";

add({ en, he });
