// Elements of a sign and `Bits - 1` bits, of which 16 share an exponent.
template <unsigned Bits>
struct BlockFloat {};

// Pages of such elements, all zero at first: the 64 exponents, then the elements.
template <unsigned Bits>
class TiledTensor<BlockFloat<Bits>> {
public:
    TiledTensor(distributed::MeshDevice& device, const std::string& name, const std::vector<int64_t>& extents) : name(name) {
        uint64_t pages = 1;
        for (size_t axis = 0; axis < extents.size(); ++axis) {
            if (extents[axis] < 1) {
                throw std::invalid_argument("tensor `" + name + "` has an extent of " + std::to_string(extents[axis]));
            }
            pages *= axis + 2 < extents.size() ? extents[axis] : ceil_div(extents[axis], 32);
        }
        distributed::DeviceLocalBufferConfig local;
        local.page_size = page_bytes;
        local.buffer_type = BufferType::DRAM;
        buffer = distributed::MeshBuffer::create(
            distributed::ReplicatedBufferConfig{.size = pages * page_bytes}, local, &device);
        bytes.resize(pages * page_bytes);
    }

    // FNV-1a over the bytes of the pages.
    void print_checksum() {
        uint64_t hash = 0xcbf29ce484222325u;
        for (const uint8_t byte : bytes) {
            hash = (hash ^ byte) * 0x100000001b3u;
        }
        std::printf("checksum of %s: %016" PRIx64 "\n", name.c_str(), hash);
    }

    void upload(distributed::MeshCommandQueue& queue) { queue.enqueue_write_mesh_buffer(buffer, bytes.data(), true); }
    void download(distributed::MeshCommandQueue& queue) { queue.enqueue_read_mesh_buffer(bytes.data(), buffer, true); }
    uint32_t address() const { return static_cast<uint32_t>(buffer->address()); }
    void append_accessor(std::vector<uint32_t>& compile_args) const {
        TensorAccessorArgs(*buffer).append_to(compile_args);
    }

    const std::string name;

protected:
    void* host() { return bytes.data(); }

    std::shared_ptr<distributed::MeshBuffer> buffer;

private:
    static constexpr uint64_t page_bytes = 64 + 128 * Bits;
    std::vector<uint8_t> bytes;
};
