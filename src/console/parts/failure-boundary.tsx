// Catches the error of a view, so that the frame stays. The usual cause: the server was updated, and the chunk of the view no longer exists.

import { Component, type ComponentChildren } from "preact";
import { Failure } from "./failure.tsx";

interface Properties {
  /** Another value draws the children again. */
  readonly resetOn: string;
  readonly children: ComponentChildren;
}

interface State {
  readonly error: unknown;
  readonly hasFailed: boolean;
}

export class FailureBoundary extends Component<Properties, State> {
  override state: State = { error: null, hasFailed: false };

  static override getDerivedStateFromError(error: unknown): State {
    return { error, hasFailed: true };
  }

  override componentDidUpdate(previous: Properties): void {
    if (this.state.hasFailed && previous.resetOn !== this.props.resetOn)
      this.setState({ error: null, hasFailed: false });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <section>
        <h1>This view cannot be shown</h1>
        <Failure error={this.state.error} onRetry={() => location.reload()} />
      </section>
    );
  }
}
