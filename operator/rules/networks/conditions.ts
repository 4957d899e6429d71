import { catalogueRow } from '../../errors/catalogue';
import type { Refusal } from '../../errors/outcome';
import { inUseText } from './refusals';
import type { NamedObject } from './types';

/** How the work on an object of the door ended. */
export interface NetworksOutcome {
  /** Why the object could not be worked; absent where it was. */
  readonly failure?: string;
  /** Why the object is refused. */
  readonly refusal?: Refusal;
  /** Text of what a refused object keeps. */
  readonly kept?: string;
  /** Objects that keep a deleted object from going. */
  readonly users?: readonly NamedObject[];
  /** Pools of other doors, and objects, that have a part of the prefix. */
  readonly others?: readonly string[];
}

/** One condition, without its times. */
export interface NetworksCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const MOST_CHARACTERS = 1024;

const condition = (
  type: string,
  status: NetworksCondition['status'],
  [reason, message = '']: readonly [string, string?],
): NetworksCondition => ({ type, status, reason, message: message.slice(0, MOST_CHARACTERS) });

function acceptance({ refusal, failure, kept }: NetworksOutcome): readonly NetworksCondition[] {
  if (failure !== undefined) return [condition('Ready', 'False', ['Unknown'])];
  if (refusal === undefined)
    return [condition('Ready', 'True', ['Ready']), condition('Accepted', 'True', ['Accepted'])];
  const message = kept === undefined ? refusal.message : `${refusal.message}; ${kept} is kept`;
  return [
    condition('Ready', 'False', ['Failed', message]),
    condition('Accepted', 'False', [catalogueRow(refusal.code).reason, message]),
  ];
}

/**
 * Says how the work on an object ended: `Synced` and `Ready` with the words of the older operator, `Accepted` with the exact reason.
 *
 * @param outcome - of the last try
 * @returns the conditions; those that are absent no longer hold
 */
export function conditionsOf(outcome: NetworksOutcome): readonly NetworksCondition[] {
  const { failure, users = [], others = [] } = outcome;
  const synced =
    failure === undefined
      ? condition('Synced', 'True', ['ReconcileSuccess'])
      : condition('Synced', 'False', ['ReconcileFailure', failure]);
  const inUse = users.length === 0 ? [] : [condition('InUse', 'True', ['InUse', inUseText(users)])];
  const overlap =
    others.length === 0
      ? []
      : [
          condition('OverlapsOtherDoor', 'True', [
            'OverlapsOtherDoor',
            `addresses of ${others.join(', ')} lie in it; they are not given out`,
          ]),
        ];
  return [synced, ...acceptance(outcome), ...inUse, ...overlap];
}
