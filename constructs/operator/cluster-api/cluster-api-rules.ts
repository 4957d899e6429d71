import { props } from '../../props-kit/containers';
import { FLAG } from '../../props-kit/values';
import type { ClusterApiProps } from './cluster-api-props';

/** Props of the Cluster API door. */
export const CLUSTER_API = props<ClusterApiProps>({ enabled: FLAG });
