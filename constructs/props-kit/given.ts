/**
 * Stands in for a prop whose value does not matter, in checks that the operator makes of its flags at its start.
 *
 * @param prop - of the author; props of plain JavaScript may lack what their type demands
 * @returns a text where there is one, else the empty text that an unset flag has
 */
export function given(prop: unknown): string {
  return prop === undefined ? '' : 'given';
}
