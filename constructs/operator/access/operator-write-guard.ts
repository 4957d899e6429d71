import { Construct } from 'constructs';

import { INTENT_SECRETS, KEYS_SECRET, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { writeGuard, type ServiceWrites } from '../../../operator/contract/write-guard';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { NAMES } from '../../objects/names';
import { isKeptHere, type StoreKind } from '../store/store-shape';
import type { DoorRights } from './door-rights';

/** Name of the policy, and of its binding. */
const GUARD = 'ipam-write-guard';

/** The store, and the rights of the front doors that are open. */
export interface OperatorWriteGuardProps {
  readonly store: StoreKind;
  readonly doors: readonly DoorRights[];
}

/** The policy by which the operator's service account writes only what the operator writes. */
export class OperatorWriteGuard extends Construct {
  /**
   * Declares policy and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - store and doors, which decide what is written
   */
  constructor(scope: Construct, id: string, { store, doors }: OperatorWriteGuardProps) {
    super(scope, id);
    const spec = writeGuard({
      namespace: OPERATOR_NAMESPACE,
      serviceAccount: NAMES.serviceAccount,
      services: writesOf(doors),
      secrets: {
        made: doors.flatMap(({ secretsRead }) => secretsRead),
        replaced: doors.flatMap(({ secretsWritten }) => secretsWritten),
        ofStore: secretsOf(store),
      },
    });
    declareAdmissionPolicy(this, GUARD, spec);
  }
}

function secretsOf(store: StoreKind): readonly string[] {
  if (store === 'remote') return INTENT_SECRETS;
  return isKeptHere(store) ? [KEYS_SECRET] : [];
}

function writesOf(doors: readonly DoorRights[]): ServiceWrites {
  const all = doors.flatMap(({ serviceWrites }) => serviceWrites ?? []);
  const ingress = all.flatMap((each) => each.ingress ?? []);
  return {
    conditions: all.flatMap(({ conditions }) => conditions),
    keys: all.flatMap(({ keys }) => keys),
    prefixes: all.flatMap(({ prefixes }) => prefixes),
    ...(ingress[0] === undefined ? {} : { ingress: ingress[0] }),
    isConverting: all.some(({ isConverting = false }) => isConverting),
    finalizersOff: all.flatMap(({ finalizersOff = [] }) => finalizersOff),
  };
}
