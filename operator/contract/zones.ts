import { Type, type TSchema } from '@sinclair/typebox';

import type { Refusal } from '../errors/outcome';
import { compiledOnUse } from './compiled-schema';
import { LABEL_SELECTOR_SCHEMA } from './label-selector';
import { isMap } from './loose-json';
import { schemaProblems } from './schema-problems';
import { catalogueOf, type ZoneProps, type ZonesDocument, type ZonesOutcome } from './zone-catalogue';
import { ZonesReader } from './zones-reader';

export type { EdgeAddresses } from '../addressing/edges';
export { selectorMatches } from './label-selector';
export {
  NO_ZONES,
  type Zone,
  type ZoneCatalogue,
  type ZoneProps,
  type ZonesDocument,
  type ZonesOutcome,
} from './zone-catalogue';
export { DEFAULT_NETWORK, DEFAULT_QUARANTINE_SECONDS } from './zones-reader';

const strict = { additionalProperties: false } as const;
const texts = Type.Array(Type.String());
const zoneFields = {
  name: Type.String({
    pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
    description: 'a DNS label (a-z, 0-9 and -, at most 63)',
  }),
  network: Type.Optional(
    Type.String({ pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$', description: 'a DNS name (a-z, 0-9, - and .)' }),
  ),
  // not empty, unless `fromNetBox`: see the reader
  prefixes: Type.Array(Type.String()),
  excluded: Type.Optional(texts),
  namespaces: Type.Optional(LABEL_SELECTOR_SCHEMA),
  quarantineSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  quota: Type.Optional(Type.Integer({ minimum: 1 })),
  draining: Type.Optional(Type.Boolean()),
  fromNetBox: Type.Optional(Type.Boolean()),
  edgeAddresses: Type.Optional(Type.Unsafe<ZoneProps['edgeAddresses']>({ type: 'string', enum: ['avoid', 'use'] })),
} satisfies Record<keyof ZoneProps, TSchema>;

/** Schema of {@link ZonesDocument}. */
export const ZONES_SCHEMA = Type.Object(
  {
    version: Type.Unsafe<ZonesDocument['version']>({ enum: [1, 2] }),
    services: Type.Optional(Type.Object({ defaultZone: Type.Optional(Type.String()) }, strict)),
    zones: Type.Array(Type.Object(zoneFields, strict), { minItems: 1 }),
  } satisfies Record<keyof ZonesDocument, TSchema>,
  strict,
);

const validator = compiledOnUse(ZONES_SCHEMA);

/**
 * Reads a zones document, wherever it came from.
 *
 * @param document - what the YAML or JSON reader returned
 * @returns the catalogue, or every problem of the document with its path
 */
export function parseZones(document: unknown): ZonesOutcome {
  const validate = validator();
  const problems: Refusal[] = validate(document) ? [] : [...schemaProblems(validate.errors ?? [], 'zone/invalid')];
  const reader = new ZonesReader();
  if (isMap(document)) reader.read(document);
  problems.push(...reader.problems);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: catalogueOf(reader, (document as ZonesDocument).services?.defaultZone) };
}
