// The view that signs a person in.

export function SignIn() {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      <p>
        Run <code>memledger console</code> on the machine of the server, and open the address that it prints.
      </p>
    </section>
  );
}
