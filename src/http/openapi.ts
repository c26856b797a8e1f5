export function openApiDocument() {
  return {};
}
