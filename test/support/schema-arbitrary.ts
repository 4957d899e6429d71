import fc, { type Arbitrary } from 'fast-check';

/** Parts of a JSON schema of the IPAM-API that are read. */
export interface AnySchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: AnySchema;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
}

/** Values for members of a name, so that calls meet each other. */
export type Likely = Readonly<Record<string, readonly unknown[]>>;

/** Values that a schema describes. */
export function valuesOf(schema: AnySchema, likely: Likely): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'object') return objectsOf(schema, likely);
  if (schema.type === 'array') return fc.array(valuesOf(schema.items ?? {}, likely), { maxLength: 3 });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type !== 'integer') return textsOf(schema);
  return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 1_000) });
}

function objectsOf({ properties = {}, required = [] }: AnySchema, likely: Likely): Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const known = likely[name];
    const value = known === undefined ? valuesOf(schema, likely) : fc.constantFrom(...known);
    return [name, value] as const;
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
}

function textsOf({ format, pattern, minLength = 0, maxLength = 20 }: AnySchema): Arbitrary<string> {
  if (format === 'date-time') {
    const span = { min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-01-01T00:00:00Z'), noInvalidDate: true };
    return fc.date(span).map((date) => date.toISOString());
  }
  if (pattern?.includes('[0-9A-Fa-f:.]') === true) return fc.oneof(fc.ipV4(), fc.ipV6());
  if (pattern?.startsWith('^[A-Za-z0-9]') === true) return fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:~-]{0,10}$/u);
  const characters = fc.constantFrom('a', 'b', '/', '%', '#', '?', 'é', ' ', '.', ',', '"', '\\', '@', '0');
  const longest = Math.min(maxLength, Math.max(minLength, 12));
  return fc.string({ unit: characters, minLength, maxLength: longest });
}

/** A value that is a little wrong: a member is missing, unknown, or of another kind. */
export function mutated(value: Arbitrary<unknown>): Arbitrary<unknown> {
  const junk = fc.constantFrom<unknown>(null, 0, -1, 1e308, true, '', '\u0000', 'x'.repeat(300), [], {}, ['a'], {
    a: 1,
  });
  return fc
    .tuple(value, junk, fc.nat(), fc.constantFrom('replace', 'remove', 'add', 'whole'))
    .map(([whole, odd, at, how]) => {
      if (how === 'whole' || typeof whole !== 'object' || whole === null) return odd;
      const copy = structuredClone(whole) as Record<string, unknown>;
      const [holder, name] = place(copy, at);
      if (how === 'add') holder['unknown'] = odd;
      else if (how === 'remove') Reflect.deleteProperty(holder, name);
      else holder[name] = odd;
      return copy;
    });
}

// Walks down by the digits of a number.
function place(value: Record<string, unknown>, at: number): readonly [Record<string, unknown>, string] {
  const names = Object.keys(value);
  const name = names[at % Math.max(1, names.length)] ?? 'none';
  const inner = value[name];
  const deeper = typeof inner === 'object' && inner !== null && at % 3 > 0;
  return deeper ? place(inner as Record<string, unknown>, Math.floor(at / 3)) : [value, name];
}
