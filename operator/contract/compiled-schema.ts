import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { WHOLE_CHARACTERS } from './vocabulary';

/**
 * Makes a compiler for schemas of ours. It does not check them against the schema of JSON Schema, for which Ajv would compile that
 * one first, at every start; a test does.
 *
 * @param formats - formats that the schemas name, beside the one of whole characters
 * @returns the compiler; keywords that it does not know are refused all the same
 */
export function schemaCompiler(formats: NonNullable<Options['formats']> = {}): Ajv {
  const known = { [WHOLE_CHARACTERS]: (text: string) => !/\p{Cs}/u.test(text), ...formats };
  return new Ajv({ allErrors: true, verbose: true, meta: false, validateSchema: false, formats: known });
}

/**
 * Compiles a schema when it is used for the first time, since few programs use all of them.
 *
 * @param schema - what is to be checked by it
 * @returns gives the validator
 */
export function compiledOnUse<S extends TSchema>(schema: S): () => ValidateFunction<Static<S>> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return () => (compiled ??= schemaCompiler().compile<Static<S>>(schema));
}
