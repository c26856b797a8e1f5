// A field above a list, which opens what has exactly this name, also if it is not listed.

interface OpenFormProps {
  /** What to enter. */
  readonly label: string;
  readonly onOpen: (name: string) => void;
}

export function OpenForm({ label, onOpen }: OpenFormProps) {
  const open = (event: Event & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    onOpen(String(new FormData(event.currentTarget).get("name")).trim().normalize());
  };
  return (
    <form class="filters" onSubmit={open}>
      <input type="search" name="name" required dir="auto" placeholder={label} aria-label={label} />
      <button type="submit">Open</button>
    </form>
  );
}
