import { CLUSTER_OPERATIONS } from './cluster-operations';
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from './operation';
import { REGISTRY_OPERATIONS } from './registry-operations';
import { SHOWN_OPERATIONS } from './shown-operations';

/** Every operation of version 3 by its id. */
const OPERATIONS = { ...CLUSTER_OPERATIONS, ...SHOWN_OPERATIONS, ...REGISTRY_OPERATIONS } as const;

/** Name of one of {@link OPERATIONS}. */
export type OperationId = keyof typeof OPERATIONS;
/** Declaration of an operation. */
type OperationOf<Id extends OperationId> = (typeof OPERATIONS)[Id];
/** Parts that a caller of an operation gives. */
export interface CallOf<Id extends OperationId> {
  readonly params: ParamsOf<OperationOf<Id>>;
  readonly query: QueryOf<OperationOf<Id>>;
  readonly body: BodyOf<OperationOf<Id>>;
}
/** Body that an operation answers with on success; undefined where there is none. */
export type AnswerBody<Id extends OperationId> = AnswerOf<OperationOf<Id>>;

/** Ids of all operations, in the order of the document. */
export const OPERATION_IDS = Object.keys(OPERATIONS) as readonly OperationId[];

/**
 * Reads the declaration of an operation where only its general form matters.
 *
 * @param id - which operation
 * @returns the declaration
 */
export function operation(id: OperationId): Operation {
  return OPERATIONS[id];
}

/**
 * Writes the path of an operation.
 *
 * @param id - which operation
 * @param params - members of the path, not yet encoded
 * @returns the path with every member percent-encoded
 */
export function pathOf(id: OperationId, params: Readonly<Record<string, string>>): string {
  return operation(id).path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
}
