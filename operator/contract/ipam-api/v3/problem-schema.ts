import { Type, type Static } from '@sinclair/typebox';
import { record } from './pieces';

/** RFC 9457 problem details. */
export const PROBLEM = record(
  {
    type: Type.String({ description: 'URI of the kind of problem, made of its code' }),
    title: Type.String({ description: 'the kind of problem in a few words' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status' }),
    detail: Type.String({
      description: 'one sentence: what failed, which value, what is allowed, the obstacle',
    }),
    code: Type.String({ description: 'code for programs, for example pool/exhausted' }),
    field: Type.Optional(Type.String({ description: 'path of the member at fault' })),
    value: Type.Optional(Type.String({ description: 'the value at fault; never a secret' })),
    suggestion: Type.Optional(Type.String({ description: 'a value that would be accepted' })),
    retryAfterSeconds: Type.Optional(
      Type.Number({ minimum: 0, description: 'when a new try can help; as in Retry-After' }),
    ),
  },
  'problem details of RFC 9457',
);

/** Problem details. */
export type Problem = Static<typeof PROBLEM>;
