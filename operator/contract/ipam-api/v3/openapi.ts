import type { TSchema } from '@sinclair/typebox';
import { CATALOGUE } from '../../../errors/catalogue';
import * as answers from './answers';
import * as bodies from './bodies';
import { PROBLEM } from './problem-schema';
import { operation, OPERATION_IDS, type OperationId } from './operations';
import type { Operation } from './operation';
import { PROBLEM_TYPE } from './problem';
import * as shown from './shown-schemas';

type Json = Readonly<Record<string, unknown>>;

/** Version of the described interface; grows with each addition. */
const API_VERSION = '3.1.0';

/** Statuses of every operation beside its successes. */
const PROBLEM_STATUSES = [...new Set(Object.values(CATALOGUE).map(({ http }) => http))].sort((a, b) => a - b);

/**
 * Writes the OpenAPI 3.1 document of version 3 from the table of its operations.
 *
 * @returns the document, as JSON
 */
export function openApiDocument(): Json {
  const named = componentNames();
  const components = Object.fromEntries([...named].map(([schema, name]) => [name, written(schema, named, true)]));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const id of OPERATION_IDS) {
    const each = operation(id);
    (paths[each.path] ??= {})[each.method.toLowerCase()] = operationObject(id, each, named);
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: {
      title: 'IPAM-API',
      version: API_VERSION,
      summary: 'One record of addresses for many clusters',
      description:
        'Bodies are JSON (RFC 8259). Of a name that stands in one object of a request twice, the last value counts and the others are not looked at.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'the server that this document came from' }],
    tags: [...new Set(OPERATION_IDS.map((id) => operation(id).tag))].map((name) => ({ name })),
    security: [{ token: [] }, { certificate: [] }],
    paths,
    components: {
      schemas: components,
      responses: {
        problem: {
          description: 'the call was refused or failed',
          headers: { 'Retry-After': { description: 'seconds until a new try can help', schema: { type: 'integer' } } },
          content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'token of a client of the clients file' },
        certificate: { type: 'mutualTLS', description: 'certificate of a client of the clients file' },
      },
    },
  };
}

// `CLAIM_BODY` is the component `ClaimBody`.
function componentNames(): ReadonlyMap<object, string> {
  const schemas = Object.entries({ ...answers, PROBLEM, ...bodies, ...shown } as Readonly<
    Record<string, unknown>
  >).filter((entry): entry is [string, TSchema] => typeof entry[1] === 'object' && entry[1] !== null);
  return new Map(schemas.map(([name, schema]) => [schema, componentName(name)]));
}

function componentName(constant: string): string {
  const words = constant.toLowerCase().split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

// References stand for what has a name; typebox's own symbols go with the copy.
function written(schema: unknown, named: ReadonlyMap<object, string>, root = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => written(each, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = root ? undefined : named.get(schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, written(value, named)]));
}

function operationObject(id: OperationId, each: Operation, named: ReadonlyMap<object, string>): Json {
  const { summary, tag, roles, body } = each;
  const description = [each.description, roles && `For ${roles.join(', ')}.`].filter(Boolean).join(' ');
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description === '' ? {} : { description }),
    ...(roles === undefined ? { security: [] } : { 'x-ipam-roles': roles }),
    parameters: [
      ...parameters('path', each.params, named),
      ...parameters('query', each.query, named),
      ...headers(each),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: written(body, named) } } } }),
    responses: responses(each, named),
  };
}

function parameters(
  where: 'path' | 'query',
  members: Operation['params'],
  named: ReadonlyMap<object, string>,
): readonly Json[] {
  const required = new Set(members?.required ?? []);
  return Object.entries(members?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: where,
    required: required.has(name),
    schema: written(schema, named),
  }));
}

function headers(each: Operation): readonly Json[] {
  const text = { type: 'string', maxLength: 200 };
  if (each.stream === true) {
    return [{ name: 'Last-Event-ID', in: 'header', description: 'id of the last event that arrived', schema: text }];
  }
  if (each.tagged !== true || each.method === 'GET') return [];
  const match = 'only if the claim still has one of these ETags, or with * exists';
  const noneMatch = 'only if the claim has none of these ETags, or with * does not exist';
  return [
    { name: 'If-Match', in: 'header', description: match, schema: text },
    { name: 'If-None-Match', in: 'header', description: noneMatch, schema: text },
  ];
}

const NO_STORE = { 'Cache-Control': { description: 'no-store', schema: { const: 'no-store' } } };

function responses(each: Operation, named: ReadonlyMap<object, string>): Json {
  const successes = Object.entries(each.answers).map(([status, schema]) => {
    if (schema === null) return [status, { description: 'done' }] as const;
    const type = each.stream === true ? 'text/event-stream' : 'application/json';
    const tag = { ETag: { description: 'version of the claim', schema: { type: 'string' } } };
    return [
      status,
      {
        description: status === '201' ? 'made' : 'done',
        ...(each.tagged === true && each.method === 'GET' ? { headers: tag } : {}),
        ...(each.secret === true ? { headers: NO_STORE } : {}),
        content: { [type]: { schema: written(schema, named) } },
      },
    ] as const;
  });
  const problems = PROBLEM_STATUSES.map(
    (status) => [String(status), { $ref: '#/components/responses/problem' }] as const,
  );
  return Object.fromEntries<unknown>([...problems, ...successes]);
}
