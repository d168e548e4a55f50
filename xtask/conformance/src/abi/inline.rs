//! What the emulator's host API defines and the real library does not export: functions that are inline in the real headers,
//! which every caller compiles for itself, and the emulator's own.

/// A function that is inline in the real headers.
pub struct Inline {
    /// Its name without parameters; a name that ends in `::` stands for all members that are not exported.
    pub name: &'static str,
    /// The real header.
    pub header: &'static str,
}

/// The list, with the headers of the source tree (`tt_metal/api`, `tt_metal/hostdevcommon/api`, `tt_stl`, and the UMD's).
pub const INLINE: &[Inline] = &[
    // An enum's name; constexpr coordinates.
    entry_of("tt::arch_to_str", "umd/device/types/arch.hpp"),
    entry_of("tt::xy_pair::", "umd/device/types/xy_pair.hpp"),
    entry_of("tt::operator==", "umd/device/types/xy_pair.hpp"),
    entry_of("tt::operator!=", "umd/device/types/xy_pair.hpp"),
    entry_of("tt::operator<", "umd/device/types/xy_pair.hpp"),
    entry_of("tt::tile_size", "tt-metalium/tt_backend_api_types.hpp"),
    entry_of("tt::tt_metal::operator==", "tt-metalium/core_coord.hpp"),
    entry_of("tt::tt_metal::operator!=", "tt-metalium/core_coord.hpp"),
    entry_of("tt::tt_metal::operator<", "tt-metalium/core_coord.hpp"),
    entry_of("tt::tt_metal::RuntimeArgsData::", "tt-metalium/runtime_args_data.hpp"),
    entry_of("tt::tt_metal::Tile::", "tt-metalium/tile.hpp"),
    entry_of("tt::tt_metal::Program::impl", "tt-metalium/program.hpp"),
    entry_of("tt::tt_metal::distributed::MeshBuffer::", "tt-metalium/mesh_buffer.hpp"),
    // An interface: its constructor, its destructor, and with them its table.
    entry_of(
        "tt::tt_metal::distributed::MeshCommandQueue::",
        "tt-metalium/mesh_command_queue.hpp",
    ),
    entry_of(
        "{vtable(tt::tt_metal::distributed::MeshCommandQueue)}",
        "tt-metalium/mesh_command_queue.hpp",
    ),
    // Containers of numbers and of values by device, which are templates.
    entry_of("ttsl::SmallVector<", "tt_stl/small_vector.hpp"),
    entry_of(
        "tt::tt_metal::distributed::MaybeRemote<",
        "tt-metalium/maybe_remote.hpp",
    ),
    entry_of(
        "tt::tt_metal::distributed::MeshContainer<",
        "tt-metalium/mesh_coord.hpp",
    ),
    entry_of(
        "tt::tt_metal::distributed::DistributedMeshContainer<",
        "tt-metalium/mesh_coord.hpp",
    ),
    entry_of("tt::tt_metal::ShapeBase::", "tt-metalium/shape_base.hpp"),
    entry_of(
        "tt::tt_metal::distributed::MeshCoordinateRange::wraparound_shape",
        "tt-metalium/mesh_coord.hpp",
    ),
    entry_of(
        "tt::tt_metal::distributed::MeshDeviceConfig::",
        "tt-metalium/mesh_config.hpp",
    ),
    entry_of(
        "tt::tt_metal::distributed::ShardDataTransfer::",
        "tt-metalium/mesh_command_queue.hpp",
    ),
    entry_of(
        "tt::tt_metal::DispatchCoreConfig::",
        "tt-metalium/dispatch_core_common.hpp",
    ),
    entry_of("tt::tt_metal::ShardSpec::", "tt-metalium/buffer.hpp"),
    entry_of("tt::tt_metal::ShardSpecBuffer::", "tt-metalium/buffer.hpp"),
    entry_of("tt::tt_metal::BufferRegion::", "tt-metalium/buffer.hpp"),
    entry_of("{vtable(tt::tt_metal::IDevice)}", "tt-metalium/device.hpp"),
    entry_of("ttsl::StrongType<", "tt_stl/strong_type.hpp"),
    entry_of("Flags<tensor_accessor::ArgConfig>::", "hostdevcommon/flags.hpp"),
    entry_of(
        "tensor_accessor::operator|",
        "hostdevcommon/tensor_accessor/arg_config.hpp",
    ),
    entry_of("bfloat16::", "tt-metalium/bfloat16.hpp"),
];

const fn entry_of(name: &'static str, header: &'static str) -> Inline {
    Inline { name, header }
}

/// Scopes that are the emulator's own: its shim, and the insides of classes that the real headers only declare.
const OURS: [&str; 14] = [
    "tt::tt_metal::emulator::",
    "{vtable(tt::tt_metal::emulator::",
    "{typeinfo(tt::tt_metal::emulator::",
    "tt::assert::detail::",
    "tt::tt_metal::detail::ProgramImpl::",
    "tt::tt_metal::BufferImpl::",
    "tt::tt_metal::AllocatorImpl::",
    "tt::tt_metal::BufferShardingArgsImpl::",
    "tt::tt_metal::SubDeviceImpl::",
    "tt::tt_metal::GlobalSemaphoreImpl::",
    "tt::tt_metal::distributed::MeshEventImpl::",
    "tt::tt_metal::distributed::MeshDeviceImpl::",
    "tt::tt_metal::distributed::MeshWorkloadImpl::",
    // The private constructor of a class whose header leaves it to the library here.
    "tt::tt_metal::distributed::MeshBuffer::MeshBuffer(std::variant<",
];

/// Whether a demangled name is the emulator's own.
pub fn is_ours(name: &str) -> bool {
    OURS.iter().any(|scope| name.starts_with(scope))
}

/// The entry that has a demangled name.
pub fn entry(name: &str) -> Option<&'static Inline> {
    INLINE.iter().find(|entry| {
        name.strip_prefix(entry.name)
            .is_some_and(|rest| entry.name.ends_with([':', '<']) || rest.is_empty() || rest.starts_with(['(', '[']))
    })
}

/// Whether it is a constructor without parameters, one or an assignment of a copy or a move, or a destructor: where a class declares none, each
/// compiler makes its own, here and there.
pub fn is_implicit(name: &str) -> bool {
    let Some((path, parameters)) = name.split_once('(') else {
        return false;
    };
    let Some((class, member)) = path.rsplit_once("::") else {
        return false;
    };
    let own = class.rsplit("::").next().unwrap_or(class);
    let parameters = parameters.trim_end_matches(')');
    let is_copy = [format!("{class} const&"), format!("{class}&&")].contains(&parameters.to_string());
    member.strip_prefix('~') == Some(own)
        || (member == own && (parameters.is_empty() || is_copy))
        || (member == "operator=" && is_copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_compilers_make_are_told_from_declared_ones() {
        for (name, is) in [
            ("tt::tt_metal::DataMovementConfig::~DataMovementConfig()", true),
            (
                "tt::tt_metal::ComputeConfig::ComputeConfig(tt::tt_metal::ComputeConfig const&)",
                true,
            ),
            ("tt::tt_metal::Tile::Tile(std::array<unsigned int, 2ul>, bool)", false),
            ("tt::tt_metal::CreateProgram()", false),
        ] {
            assert_eq!(is_implicit(name), is, "{name}");
        }
    }

    #[test]
    fn an_entry_is_a_whole_name() {
        assert!(entry("tt::tile_size(tt::DataFormat const&)").is_some());
        assert!(entry("tt::tile_size_of(tt::DataFormat const&)").is_none());
        assert!(entry("tt::tt_metal::Tile::get_width() const").is_some_and(|entry| entry.header.ends_with("tile.hpp")));
    }
}
