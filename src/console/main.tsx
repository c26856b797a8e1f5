// Starts the console in the page.

import { render } from "preact";
import { App } from "./app.tsx";

const place = document.getElementById("console");
if (place !== null) render(<App />, place);
