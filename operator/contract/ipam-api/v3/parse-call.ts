import type { ErrorObject, ValidateFunction } from 'ajv';
import { accept, type Outcome, type Refusal } from '../../../errors/outcome';
import { schemaCompiler } from '../../compiled-schema';
import { isMap } from '../../loose-json';
import { schemaProblems } from '../../schema-problems';
import { operation, type AnswerBody, type CallOf, type OperationId } from './operations';

/** A call as it arrived. */
export interface RawCall {
  /** Members of the path, decoded. */
  readonly params?: unknown;
  /** Members of the query: texts, or lists of texts where a name came more than once. */
  readonly query?: unknown;
  /** Parsed JSON. */
  readonly body?: unknown;
}

const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/u;
/** Places whose value never gets into a message. */
const SECRET_PLACE = /secret/iu;

const ajv = schemaCompiler({ 'date-time': DATE_TIME });
const compiled = new Map<object, ValidateFunction>();

/**
 * Checks a call: every member of path, query and body, known and of its form.
 *
 * @param id - the operation
 * @param raw - the call as it arrived
 * @returns the call; or refusal `api/malformed` that names every member at fault, with the nearest known word, never a secret
 */
export function parseCall<Id extends OperationId>(id: Id, raw: RawCall): Outcome<CallOf<Id>> {
  const { params, query, body } = operation(id);
  const given =
    query === undefined
      ? (raw.query ?? {})
      : coerced(query.properties as Readonly<Record<string, MemberSchema>>, raw.query);
  const problems = [
    ...problemsOf(params ?? NO_MEMBERS, raw.params ?? {}),
    ...problemsOf(query ?? NO_MEMBERS, given),
    ...(body === undefined ? [] : problemsOf(body, raw.body)),
  ];
  const [first] = problems;
  if (first === undefined) {
    return accept({ params: raw.params, query: given, body: body === undefined ? undefined : raw.body } as CallOf<Id>);
  }
  return { ok: false, refusal: { ...first, message: problems.map(({ message }) => message).join('; ') } };
}

/**
 * Checks an answer against the description, for clients and tests.
 *
 * @param id - the operation
 * @param status - which of its successes came
 * @param body - parsed JSON
 * @returns the body; or refusal `api/malformed`
 */
export function parseAnswer<Id extends OperationId>(id: Id, status: number, body: unknown): Outcome<AnswerBody<Id>> {
  const schema = operation(id).answers[status];
  if (schema === null) return accept(undefined as AnswerBody<Id>);
  const [problem] = schema === undefined ? [UNEXPECTED] : problemsOf(schema, body);
  return problem === undefined ? accept(body as AnswerBody<Id>) : { ok: false, refusal: problem };
}

const NO_MEMBERS = { type: 'object', properties: {}, additionalProperties: false };
const UNEXPECTED: Refusal = { code: 'api/malformed', message: 'the status of the answer is not one of the operation' };

function problemsOf(schema: object, value: unknown): readonly Refusal[] {
  let validate = compiled.get(schema);
  if (validate === undefined) compiled.set(schema, (validate = ajv.compile(schema)));
  if (validate(value)) return [];
  return (validate.errors ?? []).flatMap((error) => problemOf(error)).slice(0, 20);
}

function problemOf(error: ErrorObject): readonly Refusal[] {
  if (!SECRET_PLACE.test(error.instancePath) || error.keyword === 'required')
    return schemaProblems([error], 'api/malformed');
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'additionalProperties') {
    const { value: _value, ...told } = schemaProblems([error], 'api/malformed')[0] as Refusal;
    return [told];
  }
  const wanted = String(error.parentSchema?.['description'] ?? 'of another form');
  return [{ code: 'api/malformed', field, message: `${field}: must be ${wanted}` }];
}

/** Schema of a query's member. */
interface MemberSchema {
  readonly type?: string;
}

// A query holds texts only.
function coerced(members: Readonly<Record<string, MemberSchema>>, query: unknown): Readonly<Record<string, unknown>> {
  const given = isMap(query) ? query : {};
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, readAs(members[name]?.type, value)]));
}

function readAs(type: string | undefined, value: unknown): unknown {
  if (type === 'array') return Array.isArray(value) ? value : [value];
  if (type === 'integer' && typeof value === 'string' && /^\d{1,9}$/u.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
