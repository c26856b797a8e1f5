// The frame of the console: navigation, and the view of the address.

import { ErrorBoundary, LocationProvider, Route, Router } from "preact-iso";
import { type Address, addresses } from "./addresses.ts";
import { chooseTheme, themeChoice, themes } from "./parts/theme-choice.ts";
import { views } from "./routes.ts";

const table = Object.entries<Address>(addresses);

export function App() {
  return (
    <LocationProvider scope="/console">
      <ErrorBoundary>
        <header>
          <label>
            Theme{" "}
            <select value={themeChoice.value} onChange={(event) => chooseTheme(event.currentTarget.value)}>
              {themes.map((theme) => (
                <option key={theme}>{theme}</option>
              ))}
            </select>
          </label>
        </header>
        <main id="main">
          <Router>
            {table.map(([name, { path }]) => (
              <Route key={name} path={path} component={views[name] ?? NotFound} />
            ))}
            <Route default component={NotFound} />
          </Router>
        </main>
      </ErrorBoundary>
    </LocationProvider>
  );
}

function NotFound() {
  return (
    <section>
      <h1>No such page</h1>
      <p>
        The console has no page at this address. <a href={addresses.overview.path}>Go to the overview</a>.
      </p>
    </section>
  );
}
