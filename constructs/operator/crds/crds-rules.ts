import { props } from '../../props-kit/containers';
import { BREAK_GLASS_GROUP } from '../../props-kit/kubernetes-values';
import { FLAG } from '../../props-kit/values';
import type { CrdsProps } from './crds-props';

/** Props of the kinds that the operator brings. */
export const CRDS = props<CrdsProps>({ install: FLAG, keep: FLAG, breakGlassGroup: BREAK_GLASS_GROUP });
