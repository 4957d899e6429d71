import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { crdManifest, type KindDeclaration } from '../../../operator/contract/crd-manifest';
import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { ADDRESS_CLAIM } from '../../../operator/contract/kinds/address-claim';
import { recordGuard } from '../../../operator/contract/record-guard';
import { declareAdmissionPolicy } from '../../objects/admission-policy';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';
import { DEFAULT_BREAK_GLASS_GROUP, type CrdsProps } from './crds-props';
import { KEEP } from '../../objects/kept-annotations';

/** Name of the policy that guards the record, and of its binding. */
const GUARD = 'ipam-record-guard';

/** A kind whose objects only the operator writes. */
export interface GuardedKind {
  readonly kind: KindDeclaration<never>;
  /** Name of the policy that guards its objects, and of its binding. */
  readonly guard: string;
}

/** Kinds that are installed. */
export interface OperatorCrdsProps extends CrdsProps {
  /** Kinds of the front doors, beside that of the record. */
  readonly kinds?: readonly KindDeclaration<never>[];
  /** Those of them whose objects only the operator writes. */
  readonly guarded?: readonly GuardedKind[];
}

/** The CRDs, and the policy by which only the operator writes their objects. */
export class OperatorCrds extends Construct {
  /**
   * Declares them.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - what is installed and stays, and kinds that front doors bring
   */
  constructor(scope: Construct, id: string, props: OperatorCrdsProps = {}) {
    super(scope, id);
    const { keep = true, breakGlassGroup, kinds = [], guarded = [] } = props;
    const crd = this.#declareCrd(ADDRESS_CLAIM, keep);
    const crds = new Map(kinds.map((kind) => [kind.kind, this.#declareCrd(kind, keep)]));
    const group = breakGlassGroup ?? DEFAULT_BREAK_GLASS_GROUP;
    guard(this, GUARD, { kind: ADDRESS_CLAIM, breakGlassGroup: group }).addDependency(crd);
    for (const { kind, guard: name } of guarded) {
      const guardOfKind = guard(new Construct(this, `${kind.kind}Guard`), name, { kind, breakGlassGroup: group });
      const crdOfKind = crds.get(kind.kind);
      if (crdOfKind !== undefined) guardOfKind.addDependency(crdOfKind);
    }
  }

  #declareCrd<O>(kind: KindDeclaration<O>, keep: boolean): ApiObject {
    const { metadata, ...rest } = crdManifest(kind);
    const crd = new ApiObject(this, kind.kind, {
      ...rest,
      metadata: { name: metadata.name, labels: COMMON_LABELS, ...(keep ? { annotations: KEEP } : {}) },
    });
    return clusterScoped(crd);
  }
}

function guard(
  scope: Construct,
  name: string,
  { kind, breakGlassGroup }: { readonly kind: KindDeclaration<never>; readonly breakGlassGroup: string },
): ApiObject {
  const spec = recordGuard({
    group: kind.group,
    resources: [kind.plural],
    namespace: OPERATOR_NAMESPACE,
    serviceAccount: NAMES.serviceAccount,
    breakGlassGroup,
  });
  return declareAdmissionPolicy(scope, name, spec);
}
