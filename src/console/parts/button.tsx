// A button that sometimes has no effect, such as while its work runs. It says so and keeps the focus, which a disabled button would lose.

import type { ComponentProps } from "preact";

interface ButtonProps extends Omit<ComponentProps<"button">, "disabled" | "onClick"> {
  /** Whether a press has no effect. */
  readonly isOff: boolean;
  readonly onClick?: () => void;
}

export function Button({ isOff, onClick, ...others }: ButtonProps) {
  return (
    <button
      {...others}
      aria-disabled={isOff}
      onClick={(event) => {
        // Also the form of the button is not sent.
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
    />
  );
}
