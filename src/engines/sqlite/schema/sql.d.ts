// Tells TypeScript that an imported .sql file is its text.

declare module "*.sql" {
  const text: string;
  export default text;
}
