// Sets the theme that the person has chosen before the page is painted. The page loads it as a classic script in its head, so it must stay
// small and import nothing. parts/theme-choice.ts owns the choice.

try {
  const chosen = localStorage.getItem("memledger.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // The browser refuses storage to this page: the theme of the system applies.
}
