/**
 * Writes a text as a literal of CEL. Only quotes and backslashes could end it.
 *
 * @param text - any text on one line
 * @returns the literal in single quotes, as in the documents of Kubernetes
 */
export const celText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * Writes texts as a list of CEL.
 *
 * @param texts - any texts on one line
 * @returns the list in brackets
 */
export const celList = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;
