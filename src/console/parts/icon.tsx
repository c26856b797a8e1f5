// The icons of the console: small drawings in the colour of the text. A label beside them, or of their button, says what they mean.

const drawings = {
  overview: "M2.5 9.5h4v4h-4zm7 0h4v4h-4zm-7-7h4v4h-4zm7 0h4v4h-4z",
  memories: "M3 3.5h10M3 8h10M3 12.5h6",
  conversations: "M2 3h9v6H5.5L3.5 11V9H2zm11 3h1v6h-1v2l-2-2H7",
  suggestions: "M2.5 4h6m-6 4h4m-4 4h6M9 9.5l2 2 3.5-4",
  subjects:
    "M6 2.6a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2M1 13.4c.4-2.5 2.4-3.9 5-3.9s4.6 1.4 5 3.9m0-10.6a2.6 2.6 0 0 1 0 4.8m1 2.2c1.6.5 2.7 1.7 3 3.6",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9m3.3 7.8 3.2 3.2",
  extract: "M3 2.5h6l4 4v7H3zm6 0v4h4M5.5 9h5m-5 2.3h3",
  ledger: "M6.5 5H5a3 3 0 0 0 0 6h1.5m3-6H11a3 3 0 0 1 0 6H9.5M5.8 8h4.4",
  proof: "M8 1.8 13 4v3.8c0 3-2.1 5.2-5 6.4-2.9-1.2-5-3.4-5-6.4V4zM5.8 8l1.6 1.6 3-3.2",
  exports: "M8 2.5v7.2M5 7l3 3 3-3M2.8 12.7h10.4",
  keys: "M5.5 6.6a3.1 3.1 0 1 1 0 6.2 3.1 3.1 0 0 1 0-6.2m2.2.9L13 2.2m-2 2 1.8 1.8M9.2 6l1.6 1.6",
  projects: "M2 4.5h4.2l1.3 1.6H14v7H2z",
  sessions: "M8 2.6a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2M3 13.4c.4-2.5 2.4-3.9 5-3.9s4.6 1.4 5 3.9",
  settings: "M2.5 4.5h6m3.5 0h1.5M2.5 11.5H4m3.5 0h6M10 2.7v3.6M5.7 9.7v3.6",
  close: "m4 4 8 8m0-8-8 8",
  menu: "M2.5 4.5h11m-11 3.5h11m-11 3.5h11",
  copy: "M5.5 5.5h7v8h-7zm-2 5h-.9v-8h7v1",
  check: "m3 8.5 3.2 3.2L13 5",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  down: "m4 6 4 4 4-4",
  up: "m4 10 4-4 4 4",
  plus: "M8 3v10M3 8h10",
  warning: "M8 2.2 14.3 13H1.7zM8 6.4v3.2m0 1.6v.1",
  external: "M6.5 3.5h-4v10h10v-4M9 2.5h4.5V7m0-4.5L7.5 8.5",
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  );
}
