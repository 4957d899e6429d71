import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument } from '../../../../../operator/contract/ipam-api/v3/openapi';
import { operation, OPERATION_IDS } from '../../../../../operator/contract/ipam-api/v3/operations';

type Json = Readonly<Record<string, unknown>>;

const document = JSON.parse(JSON.stringify(openApiDocument())) as Json;

// Every text of the document that is the value of a key.
function valuesOf(wanted: string, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === wanted && typeof inner === 'string' ? [inner] : valuesOf(wanted, inner),
  );
}

const references = (value: unknown): readonly string[] => valuesOf('$ref', value);

function at(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => (value as Json | undefined)?.[step], document);
}

describe('openApiDocument', () => {
  test('is valid by the official schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('is found wrong by that schema when it is wrong', async () => {
    const result = await new Validator().validate({ ...structuredClone(document), paths: 'none' });
    expect(result.valid).toBe(false);
  });

  test('names each operation once, and every member of its path', () => {
    const paths = document['paths'] as Record<string, Record<string, { operationId: string; parameters: Json[] }>>;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map((each) => ({ path, ...each })),
    );
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...OPERATION_IDS].sort());
    for (const { path, parameters } of operations) {
      const members = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
      const declared = parameters.filter((each) => each['in'] === 'path').map((each) => each['name']);
      expect(declared).toEqual(members);
    }
  });

  test('refers to nothing that it lacks', () => {
    const missing = [...new Set(references(document))].filter((pointer) => at(pointer) === undefined);
    expect(missing).toEqual([]);
    expect(references(document)).toContain('#/components/schemas/Problem');
  });

  // syntax that JavaScript, Python, Java, .NET, Rust and Go read alike
  test('FU-30 has patterns that generators of clients in other languages can read', () => {
    const patterns = [...new Set(valuesOf('pattern', document))];
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\[^.x\-/[\]]|\(\?/u);
  });

  test('marks every secret as one that is only sent', () => {
    const schemas = (document['components'] as { schemas: Record<string, Json> }).schemas;
    const text = JSON.stringify(schemas['ClaimBody']);
    expect(text).toContain('"writeOnly":true');
    for (const id of OPERATION_IDS) {
      for (const answer of Object.values(operation(id).answers))
        expect(JSON.stringify(answer)).not.toContain('writeOnly');
    }
  });
});
