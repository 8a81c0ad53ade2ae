import type { EventData, EventType, VitaeEvent } from '@vitae/contract'

/** An event to write, with the data of its type. */
export type NewEvent = {
  [T in EventType]: {
    type: T
    at: number
    /** The environment that is notified; null = every environment. */
    environmentId: number | null
    /** The record that it is about: erasing the record removes the event. */
    entityId?: number | null
    data: EventData<T>
  }
}[EventType]

/** A stored event. */
export interface StoredEvent {
  /** The row id, for tables that refer to it. */
  rowId: number
  /** Its position among all events; readers continue after the last position that they have seen. */
  position: number
  environmentId: number | null
  entityId: number | null
  event: VitaeEvent
}
