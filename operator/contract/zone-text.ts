import { parseDocument } from 'yaml';

import type { Refusal } from '../errors/outcome';
import { parseZones, type ZonesOutcome } from './zones';

const invalid = (problems: readonly Refusal[]): ZonesOutcome => ({ ok: false, problems });
const firstLine = (text: string): string => text.split('\n', 1)[0]?.replace(/:$/, '') ?? '';

/**
 * Reads the text of a zones document. JSON is read as well, being a part of YAML 1.2.
 *
 * @param text - one YAML 1.2 or JSON document
 * @returns the catalogue, or every problem; errors of the syntax come with line and column, a key given twice is one
 */
export function parseZoneText(text: string): ZonesOutcome {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true });
  if (document.errors.length > 0) {
    return invalid(document.errors.map(({ message }) => ({ code: 'zone/invalid', message: firstLine(message) })));
  }
  try {
    return parseZones(document.toJS({ maxAliasCount: 100 }));
  } catch (thrown) {
    // aliases that point nowhere, or that would unfold into gigabytes, are noticed only here
    const message = thrown instanceof Error ? firstLine(thrown.message) : 'the YAML aliases cannot be resolved';
    return invalid([{ code: 'zone/invalid', message }]);
  }
}
