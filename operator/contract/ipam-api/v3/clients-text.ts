import { parseDocument } from 'yaml';
import { parseClients, type ClientsOutcome } from './clients';

/**
 * Reads the text of a clients document. JSON is read as well, being a part of YAML 1.2.
 *
 * @param text - one YAML 1.2 or JSON document
 * @returns the clients, or every problem; errors of the syntax come with line and column only, since the text is confidential
 */
export function parseClientsText(text: string): ClientsOutcome {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true });
  const [error] = document.errors;
  if (error === undefined) {
    try {
      return parseClients(document.toJS({ maxAliasCount: 100 }));
    } catch {
      return invalid('its YAML aliases cannot be resolved');
    }
  }
  const [at] = error.linePos ?? [];
  return invalid(`its YAML is not valid${at === undefined ? '' : ` at line ${at.line}, column ${at.col}`}`);
}

function invalid(what: string): ClientsOutcome {
  return { ok: false, problems: [{ code: 'settings/invalid', message: `the clients document: ${what}` }] };
}
