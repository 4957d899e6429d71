import type { TObject } from '@sinclair/typebox';
import type { ValidateFunction } from 'ajv';

import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';
import { schemaCompiler } from './compiled-schema';
import type { KindDeclaration } from './crd-manifest';
import { isMap, mapOf, textOf } from './loose-json';
import { schemaProblems } from './schema-problems';

type Json = Readonly<Record<string, unknown>>;

/** An object of the API server as far as it could be read. */
export interface StoredObject<O> {
  readonly object: O;
  /** Problems of its spec; empty where it is valid. */
  readonly problems: readonly Refusal[];
}

const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/u;

const ajv = schemaCompiler({ 'date-time': DATE_TIME, int64: true });
ajv.addVocabulary(['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type']);

// The API server drops fields that it does not know, and the author never learns of it; so here they are refused (POOL-11).
function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictly(value)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

/** Checks objects of one kind. */
export class KindValidator<O> {
  readonly #kind: KindDeclaration<O>;
  readonly #code: ErrorCode;
  #compiled: ValidateFunction | undefined;

  /**
   * Takes the declaration; the schema is compiled at the first check, since most programs never make one.
   *
   * @param kind - declaration of the kind
   * @param code - code of every problem
   */
  constructor(kind: KindDeclaration<O>, code: ErrorCode) {
    this.#kind = kind;
    this.#code = code;
  }

  /**
   * Finds everything that is wrong with an object: first its shape, and only where that is right, the rules over several
   * fields.
   *
   * @param object - the whole object, with apiVersion, kind and metadata
   * @param before - the stored object, on an update; it is taken as valid
   * @returns every problem with its path
   */
  problems(object: unknown, before?: O): readonly Refusal[] {
    const validate = (this.#compiled ??= ajv.compile(schemaOf(this.#kind)));
    if (!validate(object)) return schemaProblems(validate.errors ?? [], this.#code);
    const broken = this.#kind.rules.filter((rule) => rule.broken(object as O, before));
    return broken.flatMap((rule) =>
      (rule.faults?.(object as O) ?? [rule.field]).map((field) => {
        const value = valueAt(object as Json, field);
        const shown = value === undefined ? 'is absent' : `is ${JSON.stringify(value)}`;
        return { code: this.#code, field, message: `${field} ${shown} but ${rule.message}` };
      }),
    );
  }

  /**
   * Reads an object of the API server. A stored object may be older than the rules of today, so what has the wrong shape is told
   * beside it and never thrown.
   *
   * @param value - the object; metadata and status are passed over
   * @returns the object with the problems of its spec; undefined for what has no name
   */
  stored(value: unknown): StoredObject<O> | undefined {
    if (!isMap(value) || textOf(mapOf(value['metadata'])['name']) === '') return undefined;
    const { group, version, kind } = this.#kind;
    const judged = { ...value, apiVersion: `${group}/${version}`, kind, status: undefined }; // items of a list may leave these out
    return { object: value as unknown as O, problems: this.problems(JSON.parse(JSON.stringify(judged))) };
  }
}

function schemaOf({ group, version, kind, spec, isSpecOptional, status }: KindDeclaration<never>): object {
  const part = (schema: TObject): unknown => strictly(JSON.parse(JSON.stringify(schema)));
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', ...(isSpecOptional === true ? [] : ['spec'])],
    additionalProperties: false,
    properties: {
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      spec: part(spec),
      status: part(status),
    },
  };
}

function valueAt(object: Json, path: string): unknown {
  const steps = path.replace(/\[(\d+)\]/gu, '.$1').split('.');
  return steps.reduce<unknown>((value, step) => (value as Json | undefined)?.[step], object);
}
