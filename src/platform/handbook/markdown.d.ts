// A page of the handbook is imported as the path of its file.
declare module "*.md" {
  const path: string;
  export default path;
}
