import { Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';

import { compiledOnUse, schemaCompiler } from '../../../operator/contract/compiled-schema';
import { RELEASE_BODY, REGISTER_BODY } from '../../../operator/contract/ipam-api/v2';
import { CLIENTS_SCHEMA } from '../../../operator/contract/ipam-api/v3/clients';
import { operation, OPERATION_IDS } from '../../../operator/contract/ipam-api/v3/operations';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { ZONES_SCHEMA } from '../../../operator/contract/zones';

const ofOperations = OPERATION_IDS.flatMap((id) => {
  const { params, query, body, answers } = operation(id);
  return [params, query, body, ...Object.values(answers)].flatMap((schema) =>
    schema === undefined || schema === null ? [] : [[id, schema] as const],
  );
});

const SCHEMAS: readonly (readonly [string, object])[] = [
  ['zone document', ZONES_SCHEMA],
  ['clients document', CLIENTS_SCHEMA],
  ['POST /v2/address', REGISTER_BODY],
  ['DELETE /v2/service', RELEASE_BODY],
  ['AddressClaim', ADDRESS_CLAIM.spec],
  ...ofOperations,
];

describe('schemaCompiler', () => {
  const withMetaSchema = new Ajv();

  test('gets only schemas that JSON Schema knows, which it does not look at', () => {
    const wrong = SCHEMAS.filter(([, schema]) => withMetaSchema.validateSchema(schema) !== true);
    expect(wrong.map(([name]) => name)).toEqual([]);
    expect(SCHEMAS.length).toBeGreaterThan(20);
  });

  test('refuses a keyword that nobody knows', () => {
    expect(() => schemaCompiler().compile({ type: 'object', propertis: {} })).toThrow(/propertis/u);
  });
});

describe('compiledOnUse', () => {
  test('gives the same validator each time', () => {
    const validator = compiledOnUse(Type.Object({ zone: Type.String() }));
    expect(validator()).toBe(validator());
    expect([validator()({ zone: 'inet' }), validator()({ zone: 1 })]).toEqual([true, false]);
  });

  test('compiles nothing before its first use', () => {
    const validator = compiledOnUse(Type.Unsafe({ propertis: {} }));
    expect(() => validator()).toThrow(/propertis/u);
  });
});
