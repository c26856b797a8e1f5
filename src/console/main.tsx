// Starts the console in the page.

import { render } from "preact";
import { App } from "./app.tsx";
import "./parts/lost-focus.ts";

const place = document.getElementById("console");
if (place !== null) render(<App />, place);
